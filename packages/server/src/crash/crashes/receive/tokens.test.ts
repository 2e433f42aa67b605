import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Context } from '../../../context.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { makeTokens, openFileToken, uploadsEndOf } from './tokens.ts';

const ctx = { secret: 'a secret of the tests' } as Context;
const report = { gameId: newId(), reportId: newId() };
const tokens = makeTokens(ctx, report);

describe('the tokens of a report', () => {
  it('allow one thing each', () => {
    for (const allows of ['dump', 'log', 'read'] as const)
      assert.deepEqual(openFileToken(ctx, tokens[allows]), { allows, ...report });
  });

  it('are invalid if any bit differs', () => {
    for (const token of Object.values(tokens)) {
      const bytes = Buffer.from(token, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const changed = Buffer.from(bytes);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(openFileToken(ctx, changed.toString('base64url')), null, `bit ${bit}`);
      }
    }
  });

  it('are only valid in their exact form, on this server', () => {
    for (const text of ['', 'x', `${tokens.dump}=`, ` ${tokens.dump}`, tokens.dump.slice(0, -1), `${tokens.dump}AAAA`])
      assert.equal(openFileToken(ctx, text), null, text);
    assert.equal(openFileToken({ secret: 'another secret' } as Context, tokens.dump), null);
  });

  it('expire a day after the report, by its id', () => {
    assert.equal(uploadsEndOf(newId(Date.UTC(2026, 10, 21))).toISOString(), '2026-11-22T00:00:00.000Z');
  });
});
