// Tests lookups of INLINE and INLINE_ORIGIN records, in their current form and the one from before 2021.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeIn, problemsOf } from '../../../test/compile-text.ts';
import { MAX_INLINES } from '../module-symbols.ts';

describe('INLINE and INLINE_ORIGIN', () => {
  const HEAD = 'FILE 0 f.c\nFILE 1 g.c\nFILE 2 h.c\n';

  it('return the innermost function first, each with the location of its call', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 g()\nINLINE_ORIGIN 1 h()\nFUNC 10 20 0 f()\nINLINE 0 100 0 0 14 10\nINLINE 1 200 1 1 18 4\n10 20 300 2\n`;
    assert.deepEqual(placeIn(text, 0x18), {
      function: 'f()',
      file: 'f.c',
      line: 100,
      functionStart: 0x10,
      lineStart: 0x10,
      parameterSize: 0,
      inlines: [
        { function: 'h()', file: 'h.c', line: 300 },
        { function: 'g()', file: 'g.c', line: 200 },
      ],
      hasMoreInlines: false,
    });
    assert.deepEqual(placeIn(text, 0x14)?.inlines, [{ function: 'g()', file: 'h.c', line: 300 }]);
    assert.deepEqual(placeIn(text, 0x10)?.inlines, []);
  });

  it('support several ranges of a call, and ignore empty ranges', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 g()\nFUNC 10 40 0 f()\nINLINE 0 1 0 0 14 4 12 0 20 4\n`;
    const counts = [0x12, 0x14, 0x18, 0x20, 0x23, 0x24].map((offset) => placeIn(text, offset)?.inlines.length);
    assert.deepEqual(counts, [0, 1, 0, 1, 1, 0]);
  });

  it('support the form from before 2021, with a file in origins but not in calls', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 2 g()\nINLINE_ORIGIN 1 -1 h()\nFUNC 10 20 0 f()\nINLINE 0 42 0 14 10\nINLINE 1 43 1 14 10\n10 20 9 1\n`;
    assert.partialDeepStrictEqual(placeIn(text, 0x14), {
      ...{ function: 'f()', file: 'g.c', line: 42 },
      inlines: [
        { function: 'h()', file: 'g.c', line: 9 },
        { function: 'g()', file: 'g.c', line: 43 },
      ],
    });
  });

  it("use the line's file for a call file of -1, which means unknown", () => {
    const text = `${HEAD}INLINE_ORIGIN 0 g()\nFUNC 10 20 0 f()\nINLINE 0 42 -1 0 10 20\n10 20 9 1\n`;
    assert.partialDeepStrictEqual(placeIn(text, 0x14), { file: 'g.c', line: 42 });
  });

  it('support names that start with digits', () => {
    const text =
      'INLINE_ORIGIN 0 3way_compare(int)\nINLINE_ORIGIN 1 42\nFUNC 10 20 0 f\nINLINE 0 1 0 0 10 8\nINLINE 0 1 0 1 18 8\n';
    assert.equal(placeIn(text, 0x10)?.inlines[0]?.function, '3way_compare(int)');
    assert.equal(placeIn(text, 0x18)?.inlines[0]?.function, '42');
  });

  it('return <name omitted> for an unknown origin', () => {
    assert.equal(placeIn('FUNC 10 20 0 f\nINLINE 0 1 0 5 10 8\n', 0x10)?.inlines[0]?.function, '<name omitted>');
  });

  it('ignore a call if its outer depth is missing', () => {
    assert.deepEqual(placeIn('INLINE_ORIGIN 0 g\nFUNC 10 20 0 f\nINLINE 1 1 0 0 10 8\n', 0x10)?.inlines, []);
  });

  it('report what is wrong with a call', () => {
    assert.deepEqual(
      problemsOf('INLINE 0 1 0 0 10 8\nFUNC 10 8 0 f\nINLINE 0 1 0 0\nINLINE 0 1 0 0 x 8\nINLINE 999 1 0 0 1 1\n'),
      [
        '2: an inlined call without a function',
        '4: an inlined call without a range',
        '5: a number is missing or too large',
        '6: too many inlined calls',
      ],
    );
  });

  it("return the innermost of many nested calls, whether there are more, and the function's own location", () => {
    const nested = (count: number) => {
      const calls = Array.from({ length: count }, (_, depth) => `INLINE ${depth} ${depth + 1} 0 ${depth} 10 8`);
      const origins = Array.from({ length: count }, (_, id) => `INLINE_ORIGIN ${id} f${id}`);
      return placeIn(['FILE 0 a.c', ...origins, 'FUNC 10 20 0 f', ...calls, '10 8 7 0', ''].join('\n'), 0x10);
    };
    const maximum = nested(MAX_INLINES);
    assert.deepEqual([maximum?.inlines.length, maximum?.hasMoreInlines], [MAX_INLINES, false]);
    for (const count of [MAX_INLINES + 1, 200, 20_000]) {
      const place = nested(count);
      assert.deepEqual([place?.inlines.length, place?.hasMoreInlines], [MAX_INLINES, true], String(count));
      assert.deepEqual([place?.function, place?.line], ['f', 1]);
      // The compiler skips calls nested deeper than 256.
      assert.deepEqual(place?.inlines[0], { function: `f${Math.min(count, 256) - 1}`, file: 'a.c', line: 7 });
    }
  });
});
