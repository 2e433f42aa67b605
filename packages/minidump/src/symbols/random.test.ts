// Compares lookups in random symbol files with those of a naive reader.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { compileText } from '../../test/compile-text.ts';
import { NaiveSymbols } from '../../test/naive-symbols.ts';
import { symbolText } from '../../test/random-symbols.ts';

it('returns the same result as a naive reader for every offset', () => {
  fc.assert(
    fc.property(symbolText, fc.integer({ min: 1, max: 5000 }), (text, pieceSize) => {
      const { cache } = compileText(text, pieceSize);
      const naive = new NaiveSymbols(text);
      for (let offset = 0; offset < 220; offset++) {
        assert.deepEqual(cache.placeAt(offset), naive.placeAt(offset), `placeAt(${offset})`);
        assert.deepEqual(cache.cfiAt(offset), naive.cfiAt(offset), `cfiAt(${offset})`);
        assert.deepEqual(cache.stackWinAt(offset), naive.stackWinAt(offset), `stackWinAt(${offset})`);
      }
    }),
    { numRuns: 100 },
  );
});
