import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { booleanArray, numberArray, textArray } from './array-literal.ts';

/** The driver’s reader of text[]. */
const parse = pg.types.getTypeParser(1009 as number, 'text') as (literal: string) => (string | null)[];

describe('an array literal', () => {
  it('reads back as what was written, whatever the texts hold', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', 'a,b', ' '),
    );
    fc.assert(
      fc.property(fc.array(fc.option(text), { minLength: 1 }), (values) => {
        const literal = textArray(values);
        assert.deepEqual(literal === null ? values.map(() => null) : parse(literal), values);
      }),
    );
  });

  it('is left out where every value is null', () => {
    assert.equal(textArray([null, null]), null);
    assert.equal(numberArray([null]), null);
  });

  it('has numbers and truth values as PostgreSQL writes them', () => {
    assert.equal(numberArray([1, null, -0.5]), '{1,NULL,-0.5}');
    assert.equal(booleanArray([true, false]), '{t,f}');
  });
});
