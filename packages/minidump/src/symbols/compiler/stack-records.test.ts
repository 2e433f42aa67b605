// Tests lookups of STACK CFI and STACK WIN records, including overlapping ranges.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cfiIn, compileText, MODULE, problemsOf, stackWinIn } from '../../../test/compile-text.ts';

describe('STACK CFI', () => {
  const TEXT = 'STACK CFI INIT 10 20 .cfa: $rsp 8 +\nSTACK CFI 11 .cfa: $rsp 16 +\nSTACK CFI 14 $rbx: .cfa 16 - ^\n';

  it('returns the rules of INIT and of each record up to the offset, in order', () => {
    const [init, first, second] = ['.cfa: $rsp 8 +', '.cfa: $rsp 16 +', '$rbx: .cfa 16 - ^'];
    assert.deepEqual(cfiIn(TEXT, 0x10), [init]);
    assert.deepEqual(cfiIn(TEXT, 0x13), [init, first]);
    assert.deepEqual(cfiIn(TEXT, 0x2f), [init, first, second]);
    assert.equal(cfiIn(TEXT, 0x30), undefined);
    assert.equal(cfiIn(TEXT, 0xf), undefined);
  });

  it('sorts records that are out of order', () => {
    assert.deepEqual(cfiIn('STACK CFI INIT 10 20 a\nSTACK CFI 18 c\nSTACK CFI 14 b\n', 0x18), ['a', 'b', 'c']);
  });

  it('uses the range that starts first if ranges overlap', () => {
    assert.deepEqual(cfiIn('STACK CFI INIT 10 20 a\nSTACK CFI INIT 18 20 b\n', 0x19), ['a']);
  });

  it('stores a repeated rule once', () => {
    const rule = 'x'.repeat(200);
    const lines = Array.from(
      { length: 1000 },
      (_, index) => `STACK CFI INIT ${(index * 16).toString(16)} 10 ${rule}\n`,
    );
    assert.ok(compileText(MODULE + lines.join('')).bytes.length < 40_000);
  });

  it('reports what is wrong with a rule', () => {
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
    assert.deepEqual(stackWinIn(record(4, 0x10, 8, '1 $eip 4 + ^ ='), 0x17), expected);
    assert.equal(stackWinIn(record(4, 0x10, 8, '1 $eip 4 + ^ ='), 0x18), undefined);
  });

  it('reads FPO data, and whether EBP is used for something else', () => {
    const expected = { kind: 'fpo', start: 0x10, codeSize: 8, ...SIZES, program: undefined };
    assert.deepEqual(stackWinIn(record(0, 0x10, 8, '0 1'), 0x10), { ...expected, allocatesBasePointer: true });
    assert.deepEqual(stackWinIn(record(0, 0x10, 8, '0 0'), 0x10), { ...expected, allocatesBasePointer: false });
  });

  it('prefers frame data to FPO data', () => {
    assert.equal(stackWinIn(record(0, 0x10, 8, '0 1') + record(4, 0x10, 8, '1 p'), 0x10)?.kind, 'frame-data');
  });

  it('reads frame data without a program like FPO data', () => {
    assert.partialDeepStrictEqual(stackWinIn(record(4, 0x10, 8, '0 1'), 0x10), {
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
  for (const [layout, ranges, expected] of nested) {
    it(`uses the range that starts last if ranges overlap: one ${layout}`, () => {
      const text = ranges.map(([start, size]) => record(4, start, size, '1 p')).join('');
      const starts = expected.map(([offset]) => [offset, stackWinIn(text, offset)?.start]);
      assert.deepEqual(starts, expected);
    });
  }

  it('uses the first of two records for the same range', () => {
    assert.equal(stackWinIn(record(4, 0x10, 8, '1 first') + record(4, 0x10, 8, '1 second'), 0x10)?.program, 'first');
  });

  it('skips other types, and FPO data that claims to have a program', () => {
    assert.equal(stackWinIn(record(3, 0x10, 8, '0 0'), 0x10), undefined);
    assert.deepEqual(problemsOf(record(3, 0x10, 8, '0 0') + record(0, 0x10, 8, '1 1')), [
      '3: a record of type 0 with a program',
    ]);
  });
});
