import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { findProblem } from './validate.ts';

describe('findProblem', () => {
  const schema = Type.Object({
    level: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    name: Type.Optional(Type.String()),
  });

  it('names every type that a field can have', () => {
    assert.equal(findProblem(schema, { level: {} }), 'level: must be of type string or number or null.');
    assert.equal(findProblem(schema, { level: 1, name: 2 }), 'name: must be of type string.');
  });

  it('returns null for a valid value', () => {
    for (const level of ['3', 3, null]) assert.equal(findProblem(schema, { level }), null);
  });
});
