import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Context } from '../../../context.ts';
import { newId } from '../../../kernel/ids.ts';
import { makeTokens, openToken, uploadsEndOf } from './tokens.ts';

const ctx = { secret: 'a secret of the tests' } as Context;
const report = { gameId: newId(), reportId: newId() };
const tokens = makeTokens(ctx, report);

describe('the tokens of a report', () => {
  it('allow one thing each', () => {
    for (const allows of ['dump', 'log', 'read'] as const)
      assert.deepEqual(openToken(ctx, tokens[allows]), { allows, ...report });
  });

  it('are not opened when any bit of one is another, also the one that says what it allows', () => {
    for (const token of Object.values(tokens)) {
      const bytes = Buffer.from(token, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const changed = Buffer.from(bytes);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(openToken(ctx, changed.toString('base64url')), null, `bit ${bit}`);
      }
    }
  });

  it('have one way of being written, and are those of this service', () => {
    for (const text of ['', 'x', `${tokens.dump}=`, ` ${tokens.dump}`, tokens.dump.slice(0, -1), `${tokens.dump}AAAA`])
      assert.equal(openToken(ctx, text), null, text);
    assert.equal(openToken({ secret: 'another secret' } as Context, tokens.dump), null);
  });

  it('end a day after the report came, as its id tells', () => {
    assert.equal(uploadsEndOf(newId(Date.UTC(2026, 10, 21))).toISOString(), '2026-11-22T00:00:00.000Z');
  });
});
