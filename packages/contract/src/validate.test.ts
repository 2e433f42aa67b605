import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { OPERATIONS } from './operations/all.ts';
import { getUpdate } from './operations/rollouts.ts';
import { findProblem, findTextProblem } from './validate.ts';

describe('findProblem', () => {
  const schema = Type.Object({
    level: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    name: Type.Optional(Type.String()),
    title: Type.Optional(Type.String({ minLength: 1 })),
    password: Type.Optional(Type.String({ minLength: 12 })),
  });

  it('names every type that a field can have', () => {
    assert.equal(findProblem(schema, { level: {} }), 'level: must be of type string or number or null.');
    assert.equal(findProblem(schema, { level: 1, name: 2 }), 'name: must be of type string.');
  });

  it('says whether a text is empty or too short', () => {
    assert.equal(findProblem(schema, { level: 1, title: '' }), 'title: empty. Send a value.');
    const problem = 'password: shorter than 12 characters. Send a longer text.';
    assert.equal(findProblem(schema, { level: 1, password: 'short' }), problem);
  });

  it('returns null for a valid value', () => {
    for (const level of ['3', 3, null]) assert.equal(findProblem(schema, { level }), null);
  });

  it('says what an id should look like, whatever its field is for', () => {
    const problemOf = (field: string) => findProblem(getUpdate.query!, { [field]: 'not a name!' });
    assert.equal(problemOf('build_id'), 'build_id: not valid. Expected: a UUID.');
    assert.match(problemOf('channel') ?? '', /^channel: not valid\. Expected: lowercase letters, digits/);
    const form = '1 to 64 printable ASCII characters without spaces';
    assert.equal(problemOf('device_uid'), `device_uid: not valid. Expected: ${form}.`);
  });

  it('accepts only times that exist for Date', () => {
    const times = Type.Object({ at: Type.String({ format: 'date-time', description: 'a time' }) });
    for (const at of ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.123+01:00', '2028-02-29T12:00:00Z'])
      assert.equal(findProblem(times, { at }), null, at);
    for (const at of [
      '2027-01-01T23:59:60Z',
      '2027-01-01T00:00:00Z[Europe/Paris]',
      '2027-02-30T00:00:00Z',
      '2027-01-01T00:00:00+24:00',
      '2027-01-01',
      'now',
    ])
      assert.equal(findProblem(times, { at }), 'at: not valid. Expected: a time.', at);
  });

  it('describes the alternative that has the type of the value', () => {
    const choice = Type.Object({
      name: Type.Union([Type.String({ maxLength: 3 }), Type.Null()]),
      sort: Type.Optional(Type.Union([Type.Enum(['new', 'old']), Type.Null()])),
    });
    assert.equal(findProblem(choice, { name: 'long' }), 'name: longer than 3 characters. Shorten it.');
    const problem = 'sort: not an accepted value. Use one of new, old.';
    assert.equal(findProblem(choice, { name: null, sort: 'best' }), problem);
  });

  it('names the first problem with the path to it', () => {
    const list = Type.Object({ items: Type.Array(Type.Object({ title: Type.String() }), { maxItems: 2 }) });
    assert.equal(findProblem(list, {}), 'items: missing. Send it.');
    assert.equal(findProblem(list, { items: [{ title: '' }, {}] }), 'items[1].title: missing. Send it.');
    assert.equal(findProblem(list, { items: [{ title: '' }, 1] }), 'items[1]: must be of type object.');
    assert.equal(findProblem(list, []), 'body: must be of type object.');
  });

  it('looks at the number of items before the items', () => {
    const list = Type.Object({ items: Type.Array(Type.String(), { maxItems: 2, uniqueItems: true }) });
    assert.equal(findProblem(list, { items: [{}, {}, {}] }), 'items: more than 2 items. Send fewer.');
    assert.equal(findProblem(list, { items: ['a', 'a'] }), 'items[1]: repeats an earlier item. Send each item once.');
  });

  it('looks at the length of a text before its characters', () => {
    const text = Type.Object({ text: Type.String({ maxLength: 2 }) });
    assert.equal(findProblem(text, { text: '\0\0\0' }), 'text: longer than 2 characters. Shorten it.');
    assert.equal(findProblem(text, { text: '\0' }), 'text: contains a NUL character. Remove it.');
    assert.equal(findProblem(text, { text: '😀😀' }), null);
    assert.equal(findProblem(text, { text: '😀😀😀' }), 'text: longer than 2 characters. Shorten it.');
  });

  it('does not take what every object inherits for a field', () => {
    const fields = Type.Object({ toString: Type.String(), constructor: Type.Optional(Type.String()) });
    assert.equal(findProblem(fields, {}), 'toString: missing. Send it.');
    assert.equal(findProblem(fields, { toString: 'text' }), null);
  });

  it('checks fields that the schema does not have only for texts that cannot be stored', () => {
    for (const other of [1, [], { deep: [{}] }, 'text']) assert.equal(findProblem(schema, { level: 1, other }), null);
    const other = JSON.parse('{ "__proto__": ["\\u0000"] }');
    assert.equal(findProblem(schema, { level: 1, other }), 'other.__proto__[0]: contains a NUL character. Remove it.');
    assert.equal(findTextProblem({ '\ud800': 1 }), 'body: is not well-formed Unicode. Send UTF-8.');
  });

  it('checks the values of a record under any name', () => {
    const record = Type.Record(Type.String(), Type.Number());
    assert.equal(findProblem(record, { 'two\nlines': 'text' }), 'two\nlines: must be of type number.');
  });

  it('rejects values that are nested too deep', () => {
    const nested = JSON.parse('['.repeat(40) + ']'.repeat(40));
    assert.match(findProblem(Type.Unknown(), nested) ?? '', /nested deeper than 32 levels/);
  });

  it('accepts what TypeBox accepts, for all schemas of the contract', () => {
    const schemas = OPERATIONS.flatMap(({ params, query, body, output }) => [params, query, body, output]);
    for (const checked of schemas) {
      if (checked === undefined) continue;
      const reference = Compile(checked);
      fc.assert(
        fc.property(nearlyValid(checked), (value) => {
          assert.equal(findProblem(checked, value) === null, reference.Check(value));
        }),
        { numRuns: 50 },
      );
    }
  });
});

type Schema = TSchema & {
  type?: string;
  enum?: unknown[];
  anyOf?: TSchema[];
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  format?: string;
  minimum?: number;
};

/** Values of which most parts match the schema. */
function nearlyValid(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: valid(schema) }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) });
}

function valid(schema: TSchema): fc.Arbitrary<unknown> {
  const { type, enum: choices, anyOf, properties, patternProperties, items, format, minimum = 0 } = schema as Schema;
  if (choices !== undefined) return fc.constantFrom(...choices);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(nearlyValid));
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => [name, nearlyValid(field)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: (schema as { required?: string[] }).required ?? [] });
  }
  const [record] = Object.values(patternProperties ?? {});
  if (record !== undefined) return fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), nearlyValid(record));
  if (items !== undefined) return fc.array(nearlyValid(items), { maxLength: 3 });
  if (type === 'integer' || type === 'number') return fc.constantFrom(minimum, minimum + 0.5, minimum - 1, 1e9);
  if (type === 'boolean') return fc.boolean();
  if (format === 'date-time') return fc.constantFrom('2027-01-01T00:00:00Z', '2027-01-01');
  return fc.constantFrom('', 'a', 'linux', 'A text', '1', 'x'.repeat(300), 'a@example.com', UUID, 'a'.repeat(64));
}

const UUID = '0197b3c0-0000-7000-8000-000000000001';
