import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { HOUR } from '../clock.ts';
import { deriveKey, isCurrent, openToken, signToken } from './signed-token.ts';

const key = deriveKey('a secret of the tests', 'one thing');
const payload = Buffer.from('what it allows');

describe('a signed token', () => {
  it('contains what was signed', () => {
    assert.deepEqual(openToken(key, signToken(key, payload)), payload);
  });

  it('ends in half of an HMAC-SHA-256', () => {
    const mac = createHmac('sha256', key).update(payload).digest().subarray(0, 16);
    assert.equal(signToken(key, payload), Buffer.concat([payload, mac]).toString('base64url'));
  });

  it('is rejected if any bit is changed', () => {
    const bytes = Buffer.from(signToken(key, payload), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(openToken(key, changed.toString('base64url')), null, `bit ${bit}`);
    }
  });

  it('is rejected with the key of another purpose or another service', () => {
    const token = signToken(key, payload);
    assert.equal(openToken(deriveKey('a secret of the tests', 'another thing'), token), null);
    assert.equal(openToken(deriveKey('another secret', 'one thing'), token), null);
  });

  it('has only one valid spelling', () => {
    const token = signToken(key, payload);
    for (const text of [
      '',
      'x',
      `${token}=`,
      ` ${token}`,
      `${token.slice(0, 5)}.${token.slice(5)}`,
      token.slice(0, -1),
    ]) {
      assert.equal(openToken(key, text), null, text);
    }
  });
});

describe('a token that expires', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const isValid = (ms: number) => isCurrent(now.getTime() + ms, 2 * HOUR, now);

  it('is valid until then', () => {
    assert.deepEqual([2 * HOUR, 1, 0, -1, Number.NaN].map(isValid), [true, true, false, false, false]);
  });

  it('is invalid if it was issued while the clock was ahead', () => {
    assert.deepEqual([3 * HOUR, 3 * HOUR + 1, 365 * 24 * HOUR].map(isValid), [true, false, false]);
  });
});
