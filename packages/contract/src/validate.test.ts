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
});
