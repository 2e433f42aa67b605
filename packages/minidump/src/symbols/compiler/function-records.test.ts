// Tests lookups of FUNC records with their lines, and of PUBLIC records, including unusual and damaged ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileText, MODULE, placeIn, problemsOf } from '../../../test/compile-text.ts';
import type { CodePlace } from '../module-symbols.ts';

const NOTHING_ELSE = {
  file: undefined,
  line: undefined,
  lineStart: undefined,
  parameterSize: 0,
  inlines: [],
  hasMoreInlines: false,
};

describe('FUNC and its lines', () => {
  const TEXT = 'FILE 7 /src/a file.cpp\nFUNC 1000 30 c game::tick(int, char)\n1000 10 42 7\n1020 8 44 9\n';

  const cases: [string, number, Partial<CodePlace> | undefined][] = [
    ['the first byte', 0x1000, { line: 42, file: '/src/a file.cpp', lineStart: 0x1000 }],
    ['the last byte of a line', 0x100f, { line: 42, lineStart: 0x1000 }],
    ['a gap between lines', 0x1010, { line: undefined, file: undefined, lineStart: undefined }],
    ['a line with an unknown file', 0x1020, { line: 44, file: undefined, lineStart: 0x1020 }],
    ['the last byte of the function, after its lines', 0x102f, { line: undefined }],
    ['the byte after the function', 0x1030, undefined],
    ['the byte before the function', 0xfff, undefined],
  ];
  for (const [position, offset, expected] of cases) {
    it(`are looked up correctly for ${position}`, () => {
      const place = placeIn(TEXT, offset);
      if (expected === undefined) assert.equal(place, undefined);
      else
        assert.partialDeepStrictEqual(place, {
          function: 'game::tick(int, char)',
          functionStart: 0x1000,
          parameterSize: 12,
          ...expected,
        });
    });
  }

  it('a function without lines only has a name', () => {
    assert.deepEqual(placeIn('FUNC 10 8 0 f\n', 0x12), { function: 'f', functionStart: 0x10, ...NOTHING_ELSE });
  });

  it('the flag `m`, for code shared by several functions, is ignored', () => {
    assert.equal(placeIn('FUNC m 10 8 4 f\n', 0x12)?.parameterSize, 4);
    assert.equal(placeIn('PUBLIC m 10 4 f\n', 0x12)?.parameterSize, 4);
  });

  it('an empty function is never found', () =>
    assert.equal(placeIn('FUNC 10 0 0 f\nFUNC 20 1 0 g\n', 0x10), undefined));

  it('a function without a name is called <name omitted>', () =>
    assert.equal(placeIn('FUNC 10 8 0\n', 0x12)?.function, '<name omitted>'));

  it('the first of two functions at the same address is used', () => {
    assert.equal(placeIn('FUNC 10 8 0 first\nFUNC 10 8 0 second\n', 0x12)?.function, 'first');
  });

  it('the lowest of overlapping functions is used, in any order of the records', () => {
    const text = 'FUNC 18 10 0 late\nFUNC 10 10 0 early\n';
    assert.equal(placeIn(text, 0x19)?.function, 'early');
    assert.equal(placeIn(text, 0x21), undefined);
  });

  it('functions and lines can be in any order', () => {
    const text = 'FUNC 50 10 0 b\n58 8 2 1\n50 8 1 1\nFUNC 10 10 0 a\n10 8 3 1\nFILE 1 late.c\n';
    assert.partialDeepStrictEqual(placeIn(text, 0x52), { function: 'b', line: 1, file: 'late.c' });
    assert.partialDeepStrictEqual(placeIn(text, 0x5a), { function: 'b', line: 2 });
    assert.partialDeepStrictEqual(placeIn(text, 0x12), { function: 'a', line: 3 });
  });

  it('empty lines, which are common in symbols from a PDB, are ignored', () => {
    assert.equal(placeIn('FUNC 10 8 0 f\n10 0 5 1\n10 8 6 1\n', 0x10)?.line, 6);
    assert.equal(placeIn('FUNC 10 8 0 f\n10  0  5  1\n10  8  6  1\n', 0x10)?.line, 6);
  });

  it('line 0 is valid: compiler-generated code has it', () => {
    assert.equal(placeIn('FUNC 10 8 0 f\n10 8 0 1\n', 0x10)?.line, 0);
  });

  it('each of thousands of lines of a function is found', () => {
    const lines = Array.from(
      { length: 5000 },
      (_, index) => `${(0x1000 + index * 4).toString(16)} 4 ${index} ${index % 3}\n`,
    );
    const { cache } = compileText(`${MODULE}FILE 0 a\nFILE 1 b\nFILE 2 c\nFUNC 1000 4e20 0 f\n${lines.join('')}`);
    for (let index = 0; index < 5000; index++) {
      const expected = { line: index, file: 'abc'[index % 3], lineStart: 0x1000 + index * 4 };
      assert.partialDeepStrictEqual(cache.placeAt(0x1000 + index * 4 + 3), expected);
    }
  });

  it('the number of lines and inlined calls of a function is limited', () => {
    const limit = 2 ** 20;
    const lines = `FUNC 1 8 0 f\n${'1 1 7 1\n'.repeat(limit + 2)}`;
    assert.deepEqual(problemsOf(lines).slice(0, 1), [`${limit + 3}: too many lines in one function`]);
    const calls = `FUNC 1 8 0 f\n${`INLINE 1 1 1 1${' 1 1'.repeat(limit / 32)}\n`.repeat(33)}`;
    assert.deepEqual(problemsOf(calls), ['35: too many inlined calls']);
  });

  it('the first FILE with an id is used', () => {
    assert.equal(placeIn('FILE 1 a\nFILE 1 b\nFUNC 10 8 0 f\n10 8 1 1\n', 0x10)?.file, 'a');
  });

  it('other records can be between the lines of a function', () => {
    assert.equal(placeIn('FUNC 10 8 0 f\nFILE 1 a\nSTACK CFI INIT 10 8 .cfa: 1\n10 8 5 1\n', 0x10)?.line, 5);
  });

  it('lines after a PUBLIC or a damaged FUNC belong to no function', () => {
    assert.deepEqual(problemsOf('FUNC 10 8 0 f\nPUBLIC 40 0 p\n10 8 5 1\n'), ['4: a line without a function']);
    const damaged = 'FUNC 10 8 0 f\nFUNC 1x 8 0 g\n10 8 5 1\n';
    assert.deepEqual(problemsOf(damaged), ['3: a number is missing or too large', '4: a line without a function']);
    assert.equal(placeIn(damaged, 0x10)?.line, undefined);
  });
});

describe('PUBLIC', () => {
  it('extends to the next function', () => {
    const text = 'PUBLIC 10 8 p\nFUNC 20 8 0 f\nPUBLIC 30 0 q\n';
    const names = [0xf, 0x10, 0x1f, 0x20, 0x28, 0x30, 0x999].map((offset) => placeIn(text, offset)?.function);
    assert.deepEqual(names, [undefined, 'p', 'p', 'f', undefined, 'q', 'q']);
    assert.deepEqual(placeIn(text, 0x1f), { function: 'p', functionStart: 0x10, ...NOTHING_ELSE, parameterSize: 8 });
  });

  it('does not name code far behind it, which is still code', () => {
    const text = 'PUBLIC 1000 8 UnityMain\n';
    assert.equal(placeIn(text, 0x4fff)?.function, 'UnityMain');
    const far = { function: undefined, functionStart: 0x1000, ...NOTHING_ELSE, parameterSize: 8 };
    for (const offset of [0x5000, 0x1500000]) assert.deepEqual(placeIn(text, offset), far);
  });

  it('names all of a large function that has unwind rules', () => {
    const rules = 'STACK CFI INIT 1000 9000 .cfa: $rsp 8 +\nSTACK CFI INIT a000 9000 .cfa: $rsp 8 +\n';
    const names = [0x9fff, 0xa000, 0x13000].map((offset) => placeIn(`PUBLIC 1010 0 eval\n${rules}`, offset)?.function);
    assert.deepEqual(names, ['eval', undefined, undefined]);
  });

  it('is hidden by a function at the same address', () => {
    assert.equal(placeIn('PUBLIC 10 0 p\nFUNC 10 8 0 f\n', 0x12)?.function, 'f');
    assert.equal(placeIn('PUBLIC 10 0 p\nFUNC 10 8 0 f\n', 0x18), undefined);
  });

  it('is the first of two at the same address', () => {
    assert.equal(placeIn('PUBLIC 10 0 zebra\nPUBLIC 10 0 ant\n', 0x12)?.function, 'zebra');
  });

  it('is ignored at offset 0, where ntdll has some', () =>
    assert.equal(placeIn('PUBLIC 0 0 _CIlog\n', 0x12), undefined));
});

describe('the placeholders of dump_syms for code without symbols', () => {
  const PLACEHOLDERS = ['<unknown in game.dll>', '<.text ELF section in libgame.so>', '<.plt.got ELF section in a b>'];
  for (const name of PLACEHOLDERS) {
    it(`${name} is not a name, but shows that there is code`, () => {
      const unnamed = { function: undefined, functionStart: 0x10, ...NOTHING_ELSE };
      assert.deepEqual(placeIn(`FUNC 10 8 0 ${name}\n`, 0x12), unnamed);
      assert.deepEqual(placeIn(`PUBLIC 10 0 ${name}\n`, 0x12), unnamed);
    });
  }

  it('do not include names of functions in angle brackets', () => {
    for (const name of ['<lambda_1>', '<unknown>', '<A as B in C>::f'])
      assert.equal(placeIn(`FUNC 10 8 0 ${name}\n`, 0x12)?.function, name);
  });
});
