import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hmacUnder } from './hmac.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });

describe('HMAC under a key', () => {
  it('equals the HMAC of Node for any key and message', () => {
    const messages = fc.integer({ min: 0, max: 300 }).chain((length) => {
      const message = fc.uint8Array({ minLength: length, maxLength: length });
      return fc.tuple(message, message);
    });
    fc.assert(
      fc.property(bytes(128), messages, (key, [one, other]) => {
        const mac = hmacUnder(key, one.length);
        for (const message of [one, other, one])
          assert.equal(mac(message), createHmac('sha512', key).update(message).digest('latin1'));
      }),
    );
  });

  it('rejects keys and messages of an unexpected length', () => {
    assert.throws(() => hmacUnder(new Uint8Array(129), 1), /129 bytes/);
    assert.throws(() => hmacUnder(new Uint8Array(32), 4)(new Uint8Array(5)), /5 bytes/);
  });
});
