// Every record of the text format, and every way in which a file can be odd, seen through the cache that comes of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileText, MODULE } from '../../../test/compile-text.ts';
import { MinidumpError } from '../../error.ts';
import type { CodePlace } from '../module-symbols.ts';

const place = (text: string, offset: number) => compileText(MODULE + text).cache.placeAt(offset);
const cfi = (text: string, offset: number) => compileText(MODULE + text).cache.cfiAt(offset);
const win = (text: string, offset: number) => compileText(MODULE + text).cache.stackWinAt(offset);

/** What problems a text has, as `line: text`. */
function problemsOf(text: string): string[] {
  return compileText(MODULE + text).compiler.problems.map((problem) => `${problem.line}: ${problem.text}`);
}

const NOTHING_ELSE = { file: undefined, line: undefined, lineStart: undefined, parameterSize: 0, inlines: [] };

describe('FUNC and its lines', () => {
  const TEXT = 'FILE 7 /src/a file.cpp\nFUNC 1000 30 c game::tick(int, char)\n1000 10 42 7\n1020 8 44 9\n';

  const cases: [string, number, Partial<CodePlace> | undefined][] = [
    ['the first byte', 0x1000, { line: 42, file: '/src/a file.cpp', lineStart: 0x1000 }],
    ['the last byte of a line', 0x100f, { line: 42, lineStart: 0x1000 }],
    ['a gap between lines', 0x1010, { line: undefined, file: undefined, lineStart: undefined }],
    ['a line of a file that is not there', 0x1020, { line: 44, file: undefined, lineStart: 0x1020 }],
    ['the last byte of the function, behind its lines', 0x102f, { line: undefined }],
    ['the byte behind the function', 0x1030, undefined],
    ['the byte before the function', 0xfff, undefined],
  ];
  for (const [what, offset, expected] of cases) {
    it(`answers for ${what}`, () => {
      const found = place(TEXT, offset);
      if (expected === undefined) assert.equal(found, undefined);
      else
        assert.partialDeepStrictEqual(found, {
          function: 'game::tick(int, char)',
          functionStart: 0x1000,
          parameterSize: 12,
          ...expected,
        });
    });
  }

  it('a function without lines has a name alone', () => {
    assert.deepEqual(place('FUNC 10 8 0 f\n', 0x12), { function: 'f', functionStart: 0x10, ...NOTHING_ELSE });
  });

  it('`m` says that several functions share the code, and is no part of the record otherwise', () => {
    assert.equal(place('FUNC m 10 8 4 f\n', 0x12)?.parameterSize, 4);
    assert.equal(place('PUBLIC m 10 4 f\n', 0x12)?.parameterSize, 4);
  });

  it('a function of no bytes is nowhere', () => assert.equal(place('FUNC 10 0 0 f\nFUNC 20 1 0 g\n', 0x10), undefined));

  it('a function without a name says so', () => assert.equal(place('FUNC 10 8 0\n', 0x12)?.function, '<name omitted>'));

  it('of two functions at one address the first counts', () => {
    assert.equal(place('FUNC 10 8 0 first\nFUNC 10 8 0 second\n', 0x12)?.function, 'first');
  });

  it('of functions that overlap the one that starts first counts, in whatever order they come', () => {
    const text = 'FUNC 18 10 0 late\nFUNC 10 10 0 early\n';
    assert.equal(place(text, 0x19)?.function, 'early');
    assert.equal(place(text, 0x21), undefined);
  });

  it('functions and lines may come in any order', () => {
    const text = 'FUNC 50 10 0 b\n58 8 2 1\n50 8 1 1\nFUNC 10 10 0 a\n10 8 3 1\nFILE 1 late.c\n';
    assert.partialDeepStrictEqual(place(text, 0x52), { function: 'b', line: 1, file: 'late.c' });
    assert.partialDeepStrictEqual(place(text, 0x5a), { function: 'b', line: 2 });
    assert.partialDeepStrictEqual(place(text, 0x12), { function: 'a', line: 3 });
  });

  it('lines of no bytes, which a PDB has many of, cover nothing', () => {
    assert.equal(place('FUNC 10 8 0 f\n10 0 5 1\n10 8 6 1\n', 0x10)?.line, 6);
    assert.equal(place('FUNC 10 8 0 f\n10  0  5  1\n10  8  6  1\n', 0x10)?.line, 6);
  });

  it('line 0 is a line: code that a compiler made up has it', () => {
    assert.equal(place('FUNC 10 8 0 f\n10 8 0 1\n', 0x10)?.line, 0);
  });

  it('a function with thousands of lines answers for each', () => {
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

  it('the first FILE of an id counts', () => {
    assert.equal(place('FILE 1 a\nFILE 1 b\nFUNC 10 8 0 f\n10 8 1 1\n', 0x10)?.file, 'a');
  });

  it('records that do not belong to the function may stand among its lines', () => {
    assert.equal(place('FUNC 10 8 0 f\nFILE 1 a\nSTACK CFI INIT 10 8 .cfa: 1\n10 8 5 1\n', 0x10)?.line, 5);
  });

  it('lines behind a PUBLIC or a damaged FUNC belong to no function', () => {
    assert.deepEqual(problemsOf('FUNC 10 8 0 f\nPUBLIC 40 0 p\n10 8 5 1\n'), ['4: a line without a function']);
    const damaged = 'FUNC 10 8 0 f\nFUNC 1x 8 0 g\n10 8 5 1\n';
    assert.deepEqual(problemsOf(damaged), ['3: a number is missing or too large', '4: a line without a function']);
    assert.equal(place(damaged, 0x10)?.line, undefined);
  });
});

describe('INLINE and INLINE_ORIGIN', () => {
  const HEAD = 'FILE 0 f.c\nFILE 1 g.c\nFILE 2 h.c\n';

  it('tells the innermost call first; each stands where it calls the next', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 g()\nINLINE_ORIGIN 1 h()\nFUNC 10 20 0 f()\nINLINE 0 100 0 0 14 10\nINLINE 1 200 1 1 18 4\n10 20 300 2\n`;
    assert.deepEqual(place(text, 0x18), {
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
    });
    assert.deepEqual(place(text, 0x14)?.inlines, [{ function: 'g()', file: 'h.c', line: 300 }]);
    assert.deepEqual(place(text, 0x10)?.inlines, []);
  });

  it('a call may have several ranges, and those of no bytes are none', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 g()\nFUNC 10 40 0 f()\nINLINE 0 1 0 0 14 4 12 0 20 4\n`;
    const found = [0x12, 0x14, 0x18, 0x20, 0x23, 0x24].map((offset) => place(text, offset)?.inlines.length);
    assert.deepEqual(found, [0, 1, 0, 1, 1, 0]);
  });

  it('reads the form of before 2021, whose calls have no file and whose origins have one', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 2 g()\nINLINE_ORIGIN 1 -1 h()\nFUNC 10 20 0 f()\nINLINE 0 42 0 14 10\nINLINE 1 43 1 14 10\n10 20 9 1\n`;
    assert.partialDeepStrictEqual(place(text, 0x14), {
      ...{ function: 'f()', file: 'g.c', line: 42 },
      inlines: [
        { function: 'h()', file: 'g.c', line: 9 },
        { function: 'g()', file: 'g.c', line: 43 },
      ],
    });
  });

  it('a call file of -1 is one that is not known, and that of the line is taken', () => {
    const text = `${HEAD}INLINE_ORIGIN 0 g()\nFUNC 10 20 0 f()\nINLINE 0 42 -1 0 10 20\n10 20 9 1\n`;
    assert.partialDeepStrictEqual(place(text, 0x14), { file: 'g.c', line: 42 });
  });

  it('a name that begins with digits is a name', () => {
    const text =
      'INLINE_ORIGIN 0 3way_compare(int)\nINLINE_ORIGIN 1 42\nFUNC 10 20 0 f\nINLINE 0 1 0 0 10 8\nINLINE 0 1 0 1 18 8\n';
    assert.equal(place(text, 0x10)?.inlines[0]?.function, '3way_compare(int)');
    assert.equal(place(text, 0x18)?.inlines[0]?.function, '42');
  });

  it('an origin that is not there has no name', () => {
    assert.equal(place('FUNC 10 20 0 f\nINLINE 0 1 0 5 10 8\n', 0x10)?.inlines[0]?.function, '<name omitted>');
  });

  it('a depth without the one above it is not told', () => {
    assert.deepEqual(place('INLINE_ORIGIN 0 g\nFUNC 10 20 0 f\nINLINE 1 1 0 0 10 8\n', 0x10)?.inlines, []);
  });

  it('tells what is wrong with a call', () => {
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
});

describe('PUBLIC', () => {
  it('goes on until a function begins', () => {
    const text = 'PUBLIC 10 8 p\nFUNC 20 8 0 f\nPUBLIC 30 0 q\n';
    const found = [0xf, 0x10, 0x1f, 0x20, 0x28, 0x30, 0x9999].map((offset) => place(text, offset)?.function);
    assert.deepEqual(found, [undefined, 'p', 'p', 'f', undefined, 'q', 'q']);
    assert.deepEqual(place(text, 0x1f), { function: 'p', functionStart: 0x10, ...NOTHING_ELSE, parameterSize: 8 });
  });

  it('gives way to a function at its own address', () => {
    assert.equal(place('PUBLIC 10 0 p\nFUNC 10 8 0 f\n', 0x12)?.function, 'f');
    assert.equal(place('PUBLIC 10 0 p\nFUNC 10 8 0 f\n', 0x18), undefined);
  });

  it('of two at one address the first counts', () => {
    assert.equal(place('PUBLIC 10 0 zebra\nPUBLIC 10 0 ant\n', 0x12)?.function, 'zebra');
  });

  it('at offset 0 is nowhere, as some of ntdll are', () => assert.equal(place('PUBLIC 0 0 _CIlog\n', 0x12), undefined));
});

describe('STACK CFI', () => {
  const TEXT = 'STACK CFI INIT 10 20 .cfa: $rsp 8 +\nSTACK CFI 11 .cfa: $rsp 16 +\nSTACK CFI 14 $rbx: .cfa 16 - ^\n';

  it('gives the rules of INIT and of each line up to the offset, in their order', () => {
    const [init, first, second] = ['.cfa: $rsp 8 +', '.cfa: $rsp 16 +', '$rbx: .cfa 16 - ^'];
    assert.deepEqual(cfi(TEXT, 0x10), [init]);
    assert.deepEqual(cfi(TEXT, 0x13), [init, first]);
    assert.deepEqual(cfi(TEXT, 0x2f), [init, first, second]);
    assert.equal(cfi(TEXT, 0x30), undefined);
    assert.equal(cfi(TEXT, 0xf), undefined);
  });

  it('sorts lines that are out of order', () => {
    assert.deepEqual(cfi('STACK CFI INIT 10 20 a\nSTACK CFI 18 c\nSTACK CFI 14 b\n', 0x18), ['a', 'b', 'c']);
  });

  it('of ranges that overlap the one that starts first counts', () => {
    assert.deepEqual(cfi('STACK CFI INIT 10 20 a\nSTACK CFI INIT 18 20 b\n', 0x19), ['a']);
  });

  it('writes a rule that comes again once', () => {
    const rule = 'x'.repeat(200);
    const lines = Array.from(
      { length: 1000 },
      (_, index) => `STACK CFI INIT ${(index * 16).toString(16)} 10 ${rule}\n`,
    );
    assert.ok(compileText(MODULE + lines.join('')).bytes.length < 40_000);
  });

  it('tells what is wrong with a rule', () => {
    assert.deepEqual(
      problemsOf('STACK CFI 10 a\nSTACK CFI INIT 10 4\nSTACK CFI INIT 10 4 a\nSTACK CFI f b\nSTACK CFI z b\n'),
      [
        '2: rules without an INIT',
        '3: no rules',
        '5: rules for an offset before their INIT',
        '6: a number is missing or too large',
      ],
    );
  });
});

describe('STACK WIN', () => {
  const record = (type: number, start: number, size: number, rest: string) =>
    `STACK WIN ${type} ${start.toString(16)} ${size.toString(16)} 1 2 3 4 5 6 ${rest}\n`;
  const SIZES = { prologSize: 1, epilogSize: 2, parameterSize: 3, savedRegisterSize: 4, localSize: 5, maxStackSize: 6 };

  it('reads frame data with its program', () => {
    const expected = {
      kind: 'frame-data',
      start: 0x10,
      codeSize: 8,
      ...SIZES,
      program: '$eip 4 + ^ =',
      allocatesBasePointer: false,
    };
    assert.deepEqual(win(record(4, 0x10, 8, '1 $eip 4 + ^ ='), 0x17), expected);
    assert.equal(win(record(4, 0x10, 8, '1 $eip 4 + ^ ='), 0x18), undefined);
  });

  it('reads FPO data, and whether EBP is used for something else', () => {
    const expected = { kind: 'fpo', start: 0x10, codeSize: 8, ...SIZES, program: undefined };
    assert.deepEqual(win(record(0, 0x10, 8, '0 1'), 0x10), { ...expected, allocatesBasePointer: true });
    assert.deepEqual(win(record(0, 0x10, 8, '0 0'), 0x10), { ...expected, allocatesBasePointer: false });
  });

  it('frame data counts before FPO data', () => {
    assert.equal(win(record(0, 0x10, 8, '0 1') + record(4, 0x10, 8, '1 p'), 0x10)?.kind, 'frame-data');
  });

  it('frame data without a program says what FPO data says', () => {
    assert.partialDeepStrictEqual(win(record(4, 0x10, 8, '0 1'), 0x10), {
      program: undefined,
      allocatesBasePointer: true,
    });
  });

  const nested: [string, [start: number, size: number][], [offset: number, start: number | undefined][]][] = [
    [
      'inside another',
      [
        [0x10, 0x20],
        [0x18, 8],
      ],
      [
        [0x17, 0x10],
        [0x18, 0x18],
        [0x1f, 0x18],
        [0x20, 0x10],
        [0x30, undefined],
      ],
    ],
    [
      'inside another, and before it in the file',
      [
        [0x18, 8],
        [0x10, 0x20],
      ],
      [
        [0x17, 0x10],
        [0x18, 0x18],
        [0x20, 0x10],
      ],
    ],
    [
      'at the start of another',
      [
        [0x10, 8],
        [0x10, 0x20],
      ],
      [
        [0x10, 0x10],
        [0x18, 0x10],
        [0x2f, 0x10],
        [0x30, undefined],
      ],
    ],
    [
      'at the end of another',
      [
        [0x10, 0x20],
        [0x20, 0x10],
      ],
      [
        [0x1f, 0x10],
        [0x20, 0x20],
        [0x30, undefined],
      ],
    ],
    [
      'across the end of another, as MSVC writes them',
      [
        [0x42, 0x1a],
        [0x43, 0x2e],
      ],
      [
        [0x42, 0x42],
        [0x43, 0x43],
        [0x70, 0x43],
        [0x71, undefined],
      ],
    ],
    [
      'in a chain to one end',
      [
        [0x10, 0x10],
        [0x11, 0xf],
        [0x14, 0xc],
      ],
      [
        [0x10, 0x10],
        [0x13, 0x11],
        [0x1f, 0x14],
        [0x20, undefined],
      ],
    ],
    [
      'twice inside another',
      [
        [0x10, 0x40],
        [0x18, 4],
        [0x20, 4],
      ],
      [
        [0x1c, 0x10],
        [0x20, 0x20],
        [0x24, 0x10],
      ],
    ],
  ];
  for (const [what, ranges, expected] of nested) {
    it(`of ranges that overlap the one that starts last counts: one ${what}`, () => {
      const text = ranges.map(([start, size]) => record(4, start, size, '1 p')).join('');
      const found = expected.map(([offset]) => [offset, win(text, offset)?.start]);
      assert.deepEqual(found, expected);
    });
  }

  it('of the same range twice the first counts', () => {
    assert.equal(win(record(4, 0x10, 8, '1 first') + record(4, 0x10, 8, '1 second'), 0x10)?.program, 'first');
  });

  it('passes over other types, and leaves out FPO data that claims a program', () => {
    assert.equal(win(record(3, 0x10, 8, '0 0'), 0x10), undefined);
    assert.deepEqual(problemsOf(record(3, 0x10, 8, '0 0') + record(0, 0x10, 8, '1 1')), [
      '3: a record of type 0 with a program',
    ]);
  });
});

describe('the text', () => {
  it('may end its lines with CR LF, or CR CR LF, or not end its last line', () => {
    for (const end of ['\n', '\r\n', '\r\r\n']) {
      const text = `${MODULE}FILE 1 a.c\nFUNC 10 8 0 f g\n10 8 5 1\nSTACK CFI INIT 10 8 .cfa: 1`.replaceAll('\n', end);
      const { cache } = compileText(text);
      assert.partialDeepStrictEqual(cache.placeAt(0x10), { function: 'f g', file: 'a.c', line: 5 });
      assert.deepEqual(cache.cfiAt(0x10), ['.cfa: 1']);
      assert.equal(cache.module.name, 'game');
    }
  });

  it('comes in pieces of any size', () => {
    const text = `${MODULE}FILE 1 a.c\nFUNC 10 8 0 f\n10 4 5 1\n14 4 6 1\n\nSTACK CFI INIT 10 8 .cfa: 1\n`;
    const whole = compileText(text).bytes;
    for (const size of [1, 2, 3, 7, 64]) assert.deepEqual(compileText(text, size).bytes, whole);
  });

  it('may hold names that are not UTF-8, which become readable as far as they can', () => {
    const text = Buffer.concat([
      Buffer.from(`${MODULE}FUNC 10 8 0 caf`),
      Buffer.from([0xe9]),
      Buffer.from('::f\nFUNC 20 8 0 é\n'),
    ]);
    assert.equal(compileText(text).cache.placeAt(0x10)?.function, 'caf\ufffd::f');
    assert.equal(compileText(text).cache.placeAt(0x20)?.function, 'é');
  });

  it('keeps names as they are, with all their blanks', () => {
    assert.equal(
      place('FUNC 10 8 0 operator new [] (unsigned  long) \n', 0x10)?.function,
      'operator new [] (unsigned  long) ',
    );
  });

  it('may part its fields with several blanks', () => {
    assert.partialDeepStrictEqual(place('FUNC  10\t8  0  f\n10  8\t5 1\n', 0x10), { function: 'f', line: 5 });
  });

  it('may have upper-case digits', () => assert.equal(place('FUNC FAB 8 0 f\nFAC 2 5 1\n', 0xfac)?.line, 5));

  it('counts lines of kinds that it does not know, and goes on', () => {
    const { compiler, cache } = compileText(
      `${MODULE}INFO CODE_ID A\nFUTURE 1 2\nFUNC 10 8 0 f\nSTACK NEW x\n10 8 5 1\n`,
    );
    assert.equal(compiler.unknownCount, 2);
    assert.equal(compiler.problemCount, 0);
    assert.equal(cache.placeAt(0x10)?.line, 5);
  });

  it('tells damaged lines with their numbers, the first fifty of them', () => {
    assert.deepEqual(problemsOf(`FUNC 10 8 0 f\n10 8 5 1\n10 8 5\nMODULE again\n${'?'.repeat(9)}\n`), [
      '4: a number is missing or too large',
      '5: a second MODULE',
      '6: a number is missing or too large',
    ]);
    const { compiler } = compileText(`${MODULE}FILE 0 a\n${'zz\n'.repeat(1000)}`);
    assert.deepEqual([compiler.problems.length, compiler.problemCount], [50, 1000]);
  });

  const HUGE = 'f'.repeat(400);
  for (const line of [
    `FUNC ${HUGE} 1 0 f`,
    `FUNC 1 ${HUGE} 0 f`,
    'FUNC 1 1 100000000 f',
    `PUBLIC ${HUGE} 0 p`,
    'FILE 99999999999 a',
    `STACK CFI INIT ${HUGE} 1 a`,
    'FUNC 10000000000000 1 0 f',
  ]) {
    it(`leaves out a number that is too large: ${line.slice(0, 24)}`, () => {
      assert.deepEqual(problemsOf(`FILE 0 a\n${line}\n`), ['3: a number is missing or too large']);
    });
  }

  it('takes offsets far beyond 32 bits', () => {
    const text = 'FUNC ffffffffff000 800 0 f\nffffffffff010 10 5 1\nSTACK CFI INIT ffffffffff000 10 a\n';
    assert.partialDeepStrictEqual(place(text, 0xffffffffff018), { function: 'f', line: 5, lineStart: 0xffffffffff010 });
    assert.deepEqual(cfi(text, 0xffffffffff00f), ['a']);
  });

  it('passes over a line that is too long, in whatever pieces it comes', () => {
    const text = `${MODULE}FILE 1 a\nFUNC 30 8 0 ${'x'.repeat(600_000)}\nFUNC 10 8 0 ${'y'.repeat(200_000)}\n10 8 5 1\n`;
    for (const size of [1000, 1 << 20]) {
      const { cache, compiler } = compileText(text, size);
      assert.deepEqual(compiler.problems, [{ line: 3, text: 'longer than 262144 bytes' }]);
      assert.equal(cache.placeAt(0x30), undefined);
      assert.equal(cache.placeAt(0x10)?.function.length, 200_000);
      assert.equal(cache.placeAt(0x10)?.line, 5);
    }
  });

  const refused: [string, string][] = [
    ['nothing', ''],
    ['an HTML page', '<!doctype html>\n<title>404</title>\n'],
    ['a line without an end', 'x'.repeat(600_000)],
    ['a MODULE line of three fields', 'MODULE Linux x86_64 0123\n'],
    ['a MODULE line whose id is no hex number', 'MODULE Linux x86_64 xyz game\n'],
    ['a MODULE line that is not the first', `FILE 0 a\n${MODULE}`],
    ['an ELF file', '\u007fELF\u0002\u0001\u0001\n'],
  ];
  for (const [what, text] of refused) {
    it(`is refused when it is ${what}`, () => assert.throws(() => compileText(text), isBadSymbols(/^Line 1: /)));
  }

  it('is refused when no line after the first is a record', () => {
    assert.throws(() => compileText(`${MODULE}\nhello\nworld\n`), isBadSymbols(/^Line 3: /));
  });

  it('may be of a module without any symbols', () => {
    const { cache } = compileText(MODULE);
    assert.deepEqual([cache.placeAt(0), cache.cfiAt(0), cache.stackWinAt(0)], [undefined, undefined, undefined]);
    assert.deepEqual(cache.module, {
      os: 'Linux',
      cpu: 'x86_64',
      debugId: '0123456789ABCDEF0123456789ABCDEF0',
      name: 'game',
    });
  });
});

function isBadSymbols(message: RegExp) {
  return (error: unknown) =>
    error instanceof MinidumpError && error.code === 'bad-symbols' && message.test(error.message);
}
