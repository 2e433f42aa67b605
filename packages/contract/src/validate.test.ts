import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { findProblem } from './validate.ts';

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
});
