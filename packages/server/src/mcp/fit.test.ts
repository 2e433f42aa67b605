// Tests how results are cut: they always fit, list what was left out, and are unchanged if they are short.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { Foreign } from '@chauffeur/contract/operations/fields';
import fc from 'fast-check';
import Type from 'typebox';
import { fit } from './fit.ts';
import type { Schema } from './schema-walk.ts';

const LIST = Type.Object({
  title: Type.String(),
  items: Type.Array(Type.Object({ id: Type.String(), text: Foreign(Type.String()), tags: Type.Array(Type.String()) })),
  facts: Foreign(Type.Record(Type.String(), Type.String())),
}) as Schema;

describe('fit', () => {
  test('does not change a short result', () => {
    const value = { title: 'a', items: [{ id: '1', text: 'x', tags: [] }], facts: { a: 'b' } };
    const fitted = fit(value, LIST);
    assert.deepEqual(fitted.value, value);
    assert.deepEqual(fitted.cuts, []);
  });

  test('cuts a long text and reports its length', () => {
    const fitted = fit({ title: 'x'.repeat(50_000), items: [], facts: {} }, LIST);
    assert.deepEqual(fitted.cuts, [{ at: 'title', shown: 8000, of: 50_000 }]);
    assert.equal((fitted.value as { title: string }).title, `${'x'.repeat(8000)}…`);
  });

  test('cuts a long list and reports its length, but does not cut ids in it', () => {
    const id = '0199f0a0-0000-7000-8000-000000000000';
    const items = Array.from({ length: 5000 }, () => ({ id, text: 'y', tags: ['z'] }));
    const { value, cuts } = fit({ title: '', items, facts: {} }, LIST);
    const shown = (value as { items: { id: string }[] }).items;
    assert.deepEqual(cuts, [{ at: 'items', shown: shown.length, of: 5000 }]);
    assert.ok(shown.length >= 100 && shown.every((item) => item.id === id));
  });

  test('makes any result fit, as text and as JSON, including its notes', () => {
    const text = fc.oneof(
      fc.string(),
      fc.nat(30_000).map((length) => 'x'.repeat(length)),
      fc.nat(3000).map((length) => '\u202e"\n'.repeat(length)),
    );
    const value = fc.record({
      title: text,
      items: fc.array(fc.record({ id: fc.uuid(), text, tags: fc.array(text, { maxLength: 50 }) }), { maxLength: 300 }),
      facts: fc.dictionary(text, text, { maxKeys: 200 }),
    });
    fc.assert(
      fc.property(value, (result) => {
        const fitted = fit(result, LIST);
        assert.ok(
          JSON.stringify({ ...fitted.value, cut: { left_out: fitted.cuts } }).length <= LIMITS.agentAnswerLength,
        );
        assert.ok(fitted.text.length + JSON.stringify(fitted.cuts).length <= LIMITS.agentAnswerLength);
        assert.equal(
          fitted.cuts.every(({ shown, of }) => shown < of),
          true,
        );
      }),
      { numRuns: 60 },
    );
  });
});
