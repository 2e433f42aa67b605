import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { bodyBoundsOf, maxValuesIn } from './body-bounds.ts';
import { KIB, MIB } from './limits.ts';
import { defineOperation, type Operation } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';

const taking = (body: Operation['body'], bodyLimit?: number): Operation => ({
  ...defineOperation({
    id: 'games.create',
    summary: '',
    method: 'POST',
    path: '/',
    access: 'public',
    statuses: [200],
    errors: [],
  }),
  ...(body !== undefined && { body }),
  ...(bodyLimit !== undefined && { bodyLimit }),
});

describe('bodyBoundsOf', () => {
  it('allows little where the schema allows little', () => {
    const body = Type.Object({
      ids: Type.Array(Type.String({ maxLength: 36 }), { maxItems: 100 }),
      all: Type.Boolean(),
    });
    assert.deepEqual(bodyBoundsOf(taking(body)), { bytes: 128 * KIB, values: 1103 });
  });

  it('leaves room for every text as escapes', () => {
    const text = Type.Object({ text: Type.String({ maxLength: 10_000 }) });
    const { bytes } = bodyBoundsOf(taking(text));
    const escaped = '\\ud83d\\ude00'.repeat(10_000);
    assert.ok(`{"text":"${escaped}"}`.length < bytes);
  });

  it('takes a pattern without an end, a record and a list without a length for unbounded', () => {
    const schemas = [
      Type.Object({ text: Type.String({ pattern: '^[a-z]+$' }) }),
      Type.Record(Type.String(), Type.String({ maxLength: 1 })),
      Type.Object({ list: Type.Array(Type.Boolean()) }),
      Type.Object({ any: Type.Unknown() }),
    ];
    for (const body of schemas) assert.equal(bodyBoundsOf(taking(body)).bytes, MIB);
    for (const body of schemas.slice(1)) assert.equal(bodyBoundsOf(taking(body)).values, maxValuesIn(MIB));
  });

  it('takes the limit that the operation sets', () => {
    assert.equal(bodyBoundsOf(taking(Type.Object({}), 4096)).bytes, 4096);
  });

  it('has a bound for every JSON body but those of reports and events', () => {
    const unbounded = OPERATIONS.filter(
      (operation) =>
        operation.body !== undefined &&
        (operation.bodyKind ?? 'json') === 'json' &&
        bodyBoundsOf(operation).values > 2000,
    );
    assert.deepEqual(
      unbounded.map(({ id }) => id),
      ['crashes.create', 'events.create'],
    );
  });
});
