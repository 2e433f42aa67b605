// Property tests: what must hold for the signature of any input.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameOf } from '../../test/frame.ts';
import type { Frame } from '../report.ts';
import type { OsName } from '../streams/system-info.ts';
import { makeSignature, type SignatureInput } from './signature.ts';

/** Random text, or random combinations of pieces that occur in function names. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        ..."<>(){}[]`' :$,&*~-".split(''),
        '::',
        'operator',
        'a',
        'lambda',
        '$_0',
        ' as ',
        'impl ',
        ' const',
        '->',
        ' in ',
        'abort',
        '\n',
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join('')),
);
const maybe = fc.option(text);
const line = fc.option(fc.nat());
const frame: fc.Arbitrary<Frame> = fc
  .record({
    offset: text,
    module: maybe,
    function: maybe,
    file: maybe,
    line,
    inlines: fc.array(fc.record({ function: text, file: maybe, line }), { maxLength: 3 }),
    registers: fc.dictionary(fc.constantFrom('rsp', 'sp', 'esp'), text),
  })
  .map(frameOf);
const reason = fc.option(
  fc.oneof(text, fc.constantFrom('SIGABRT', 'SIGSEGV / SEGV_MAPERR', 'EXCEPTION_STACK_OVERFLOW')),
);
const frames = fc.option(fc.array(frame, { maxLength: 50 }));
const allocationSize = fc.option(fc.double());
const os = fc.constantFrom<OsName>('windows', 'linux', 'macos', 'unknown');
const input: fc.Arbitrary<SignatureInput> = fc.record({
  os,
  reason,
  address: maybe,
  frames,
  lastError: maybe,
  assertion: maybe,
  allocationSize,
  message: maybe,
});

describe('makeSignature with any input', () => {
  it('returns 1 to 255 printable characters, and the same result each time', () => {
    fc.assert(
      fc.property(input, (crash) => {
        const { signature, notes } = makeSignature(crash);
        assert.ok(signature.length >= 1 && signature.length <= 255);
        assert.doesNotMatch(signature, /\p{C}|^\s|\s$/u);
        assert.ok(notes.length > 0 && notes.every((note) => !/\p{C}/u.test(note)));
        assert.deepEqual(makeSignature(structuredClone(crash)), { signature, notes });
      }),
      { numRuns: 500 },
    );
  });

  it('ignores frames after the fortieth', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 40, maxLength: 45 }), frame, (frames, other) => {
        const expected = makeSignature({ os: 'linux', frames });
        assert.deepEqual(makeSignature({ os: 'linux', frames: [...frames, other] }), expected);
      }),
      { numRuns: 100 },
    );
  });

  it('takes linear time for names of a megabyte and for deep nesting', () => {
    const depth = 100_000;
    const names = [
      ...[
        'a<',
        'a::',
        'b`',
        '{c#1}',
        '<d>',
        '(e)',
        '.part.1',
        '$lambda$1',
        '_m0',
        'std::__1::',
        '`2[',
        '{lambda#1}::',
        'U3C',
        '::h0123456789abcdef',
        "'lambda0'",
        '@',
        ' #1 in ',
      ].map((piece) => piece.repeat(1_000_000 / piece.length)),
      `${'Tree<'.repeat(depth)}int${'>'.repeat(depth)}::grow(int)`,
      `${'`a::'.repeat(depth)}b${"'::c".repeat(depth)}`,
      `<${'<A as '.repeat(depth)}`,
    ];
    for (const name of names) {
      for (const file of [null, 'a.rs', 'a.cs', 'a.swift', 'a.go']) {
        const start = process.cpuUsage();
        makeSignature({ os: 'linux', frames: [frameOf({ function: name, file, module: name })] });
        assert.ok(process.cpuUsage(start).user < 2_000_000, `${name.slice(0, 20)} ${file}`);
      }
    }
  });

  it('is fast for long names made of any pieces', () => {
    fc.assert(
      fc.property(text, maybe, (piece, file) => {
        const name = piece.repeat(Math.ceil(50_000 / (piece.length + 1)));
        const start = process.cpuUsage();
        makeSignature({ os: 'linux', frames: [frameOf({ function: name, file })], message: name, assertion: name });
        assert.ok(process.cpuUsage(start).user < 1_000_000);
      }),
      { numRuns: 100 },
    );
  });
});
