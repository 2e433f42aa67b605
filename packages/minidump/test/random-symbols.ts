// Random symbol files for property tests and fuzzers, with small numbers so that ranges touch and overlap in every way.
import fc from 'fast-check';

const hex = (value: number) => value.toString(16);
/** Most offsets are close together; some are far away. */
const offset = fc.oneof({ weight: 30, arbitrary: fc.nat(90) }, fc.nat(2 ** 31), fc.constant(2 ** 40)).map(hex);
const size = fc.oneof({ weight: 3, arbitrary: fc.nat(12) }, fc.nat(120)).map(hex);
const id = fc.nat(6).map(String);
const number = fc.oneof({ weight: 5, arbitrary: fc.nat(2000) }, fc.nat(2 ** 32 - 2)).map(String);
const name = fc.constantFrom(
  'f',
  'g()',
  'a::b<c, d>(e)',
  'ünï ⚙',
  'operator new [] ',
  '<name omitted>',
  '<unknown in a b>',
  'x'.repeat(5000),
);
const rule = fc.constantFrom(
  '.cfa: $rsp 8 +',
  '.cfa: $rsp 16 + $rbp: .cfa 16 - ^',
  '$rbx: .cfa 24 - ^',
  'y'.repeat(300),
);
const many = fc.constantFrom('', 'm ');

const words = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((values) => values.join(' '));
const line = words(offset, size, number, id);
const ranges = fc.array(words(offset, size), { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
const depth = fc.constantFrom('0', '0', '1', '1', '2', '3');
const inline = words(fc.constant('INLINE'), depth, number, fc.oneof(id, fc.constant('-1')), id, ranges);
const oldInline = words(fc.constant('INLINE'), depth, number, id, ranges);
const sizes = fc.tuple(size, size, size, size, size, size).map((all) => all.join(' '));
const program = fc.oneof(
  fc.constantFrom('0 0', '0 1'),
  rule.map((text) => `1 ${text}`),
);

const func = fc.tuple(
  many,
  offset,
  size,
  size,
  name,
  fc.array(fc.oneof({ weight: 4, arbitrary: line }, inline, oldInline), { maxLength: 90 }),
);
const cfi = fc.tuple(offset, size, rule, fc.array(words(fc.constant('STACK CFI'), offset, rule), { maxLength: 6 }));

const block = fc.oneof(
  {
    weight: 4,
    arbitrary: func.map(([m, start, length, parameters, text, lines]) =>
      [`FUNC ${m}${start} ${length} ${parameters} ${text}`, ...lines].join('\n'),
    ),
  },
  cfi.map(([start, length, text, rows]) => [`STACK CFI INIT ${start} ${length} ${text}`, ...rows].join('\n')),
  fc.tuple(many, offset, size, name).map(([m, start, parameters, text]) => `PUBLIC ${m}${start} ${parameters} ${text}`),
  words(fc.constant('FILE'), id, name),
  words(fc.constant('INLINE_ORIGIN'), id, name),
  words(fc.constantFrom('STACK WIN 0', 'STACK WIN 4'), offset, size, sizes, program),
  fc.constantFrom('', 'INFO CODE_ID 1234', 'FUTURE record'),
);

/** A symbol file whose only damaged lines are lines without a function, which any reader skips. */
export const symbolText: fc.Arbitrary<string> = fc
  .array(block, { maxLength: 16 })
  .map((blocks) => ['MODULE Linux x86 0123ABCD0 a name', ...blocks].join('\n'));
