// Converts files that are well-formed in most places, and wrong in a few: sizes, offsets, references in circles, and
// values that no compiler writes. Whatever comes, there is a part of the symbols or a DebugSymbolsError, soon.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { buildElf, bytes, concat, sized, type TestSection, text, u16, u32, u64 } from '../test/build-elf.ts';
import { buildPdb } from '../test/build-msf.ts';
import { buildPe, words } from '../test/build-pe.ts';
import { convertAsThreads, convertToText, resultOf } from '../test/convert-as-threads.ts';
import { convertFile } from './convert-file.ts';
import { DebugSymbolsError } from './error.ts';
import { identityRecords } from './identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'structured-'));
after(() => rmSync(folder, { recursive: true }));

const MAX_MILLISECONDS = 3000;
const MAX_MEMORY = 256 * 1024 * 1024;
const RUNS = { numRuns: 400 };

/** Whether symbols came, without which a property tests little. */
function convert(file: Uint8Array): boolean {
  const path = join(folder, 'input');
  writeFileSync(path, file);
  const memory = process.memoryUsage().arrayBuffers;
  const started = process.threadCpuUsage();
  let hasSymbols = false;
  try {
    const { identity, writer } = convertFile(path, { findsCounterparts: false });
    for (const portion of writer.write(identityRecords(identity))) hasSymbols ||= /^(?:FUNC|STACK)/m.test(portion);
  } catch (error) {
    assert.ok(error instanceof DebugSymbolsError, String(error instanceof Error ? error.stack : error));
  }
  const { user, system } = process.threadCpuUsage(started);
  assert.ok((user + system) / 1000 < MAX_MILLISECONDS, `${(user + system) / 1000} ms`);
  assert.ok(process.memoryUsage().arrayBuffers - memory < MAX_MEMORY);
  const options = { findsCounterparts: false };
  const packed = resultOf(() => convertAsThreads(path, options, 1));
  if (packed !== undefined) assert.ok(packed === resultOf(() => convertToText(path, options)));
  return hasSymbols;
}

function check<Input>(arbitrary: fc.Arbitrary<Input>, build: (input: Input) => Uint8Array): void {
  let useful = 0;
  fc.assert(
    fc.property(arbitrary, (input) => {
      if (convert(build(input))) useful += 1;
    }),
    RUNS,
  );
  assert.ok(useful > RUNS.numRuns / 50, `only ${useful} files had symbols`);
}

const CODE = 0x401000;
const CODE_SIZE = 0x1000;
const byte = fc.nat(255);
const small = fc.oneof({ weight: 6, arbitrary: fc.nat(64) }, fc.nat(0xffff), fc.constantFrom(0xffff_ffff, 0x8000_0000));
const address = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: CODE, max: CODE + CODE_SIZE }) },
  fc.constantFrom(0, 1, 0xffff_ffff, 2 ** 52),
);
const noise = (maxLength: number) => fc.uint8Array({ maxLength });

function uleb(value: number): Uint8Array {
  const out: number[] = [];
  let left = value;
  do {
    out.push((left % 128) | (left >= 128 ? 0x80 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Uint8Array.from(out);
}

/** Some bytes are changed after the file was built. */
const changes = fc.array(fc.record({ at: fc.nat(4000), value: byte }), { maxLength: 3 });

function changed(file: Uint8Array, list: readonly { at: number; value: number }[]): Uint8Array {
  for (const { at, value } of list) if (at < file.length) file[at] = value;
  return file;
}

// DWARF

const TAGS = [0x11, 0x2e, 0x1d, 0x0b, 0x34, 0x39, 0x13, 0x4a, 0x3c, 0x41];
const ATTRIBUTES = [
  ...[0x01, 0x03, 0x10, 0x11, 0x12, 0x1b, 0x13, 0x20, 0x31, 0x47, 0x55, 0x57, 0x58, 0x59, 0x6e, 0x72, 0x73, 0x74],
  ...[0x76, 0x3a, 0x3b, 0x2130, 0x2131, 0x2132, 0x2133],
];
/** Forms, with a value of each. */
const FORMS: readonly (readonly [form: number, value: fc.Arbitrary<Uint8Array>])[] = [
  [0x01, address.map(u64)],
  [0x03, noise(6).map((content) => concat(u16(content.length), content))],
  [0x05, small.map((value) => u16(value & 0xffff))],
  [0x06, small.map(u32)],
  [0x07, address.map(u64)],
  [0x08, fc.constantFrom('a', 'main.cc', '', '/src', '_Z1av').map((value) => text(value))],
  [0x0b, byte.map((value) => bytes(value))],
  [0x0e, small.map(u32)],
  [0x0f, small.map(uleb)],
  [0x10, small.map(u32)],
  [0x11, byte.map((value) => bytes(value))],
  [0x13, fc.nat(300).map(u32)],
  [0x15, fc.nat(300).map(uleb)],
  [0x16, fc.nat(20).chain((form) => noise(4).map((rest) => concat(uleb(form), rest)))],
  [0x17, small.map(u32)],
  [0x18, noise(5).map((content) => concat(uleb(content.length), content))],
  [0x19, fc.constant(bytes())],
  [0x1a, small.map(uleb)],
  [0x1b, small.map(uleb)],
  [0x21, fc.constant(bytes())],
  [0x22, small.map(uleb)],
  [0x23, small.map(uleb)],
  [0x1f20, small.map(u32)],
];
const UNKNOWN_FORM = 0x7e;

const attribute = fc.record({
  name: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ATTRIBUTES) }, fc.nat(0x3fff)),
  form: fc.nat(FORMS.length - 1),
});
const abbreviation = fc.record({
  tag: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TAGS) }, fc.nat(255)),
  hasChildren: fc.boolean(),
  attributes: fc.array(attribute, { maxLength: 5 }),
  isWrong: fc.nat(30).map((value) => value === 0),
});
type Abbreviation = {
  tag: number;
  hasChildren: boolean;
  attributes: { name: number; form: number }[];
  isWrong: boolean;
};

/** The first is the root, and the second a function with an address, so that most units have something. */
const FIXED: readonly Abbreviation[] = [
  {
    tag: 0x11,
    hasChildren: true,
    attributes: [
      { name: 0x03, form: 5 },
      { name: 0x10, form: 3 },
    ],
    isWrong: false,
  },
  {
    tag: 0x2e,
    hasChildren: true,
    attributes: [
      { name: 0x03, form: 5 },
      { name: 0x11, form: 0 },
      { name: 0x12, form: 3 },
    ],
    isWrong: false,
  },
];

function encodeAbbreviations(list: readonly Abbreviation[]): Uint8Array {
  const shapes = list.map(({ tag, hasChildren, attributes, isWrong }, index) => {
    const pairs = attributes.map(({ name, form }) =>
      concat(uleb(name), uleb(isWrong ? UNKNOWN_FORM : FORMS[form]![0])),
    );
    const constants = attributes.map(({ form }) => (!isWrong && FORMS[form]![0] === 0x21 ? bytes(1) : bytes()));
    const listed = pairs.map((pair, at) => concat(pair, constants[at]!));
    return concat(uleb(index + 1), uleb(tag), bytes(hasChildren ? 1 : 0), ...listed, bytes(0, 0));
  });
  return concat(...shapes, bytes(0));
}

const unit = fc.array(abbreviation, { maxLength: 5 }).chain((others) => {
  const list = [...FIXED, ...others];
  const values = (index: number) => fc.tuple(...list[index]!.attributes.map(({ form }) => FORMS[form]![1]));
  const entryOf = (index: number) => values(index).map((parts) => concat(uleb(index + 1), ...parts));
  const entry = fc.oneof(
    { weight: 3, arbitrary: entryOf(1) },
    { weight: 4, arbitrary: fc.nat(list.length - 1).chain(entryOf) },
    { weight: 2, arbitrary: fc.constant(bytes(0)) },
    noise(3),
  );
  return fc.record({
    abbreviations: fc.constant(encodeAbbreviations(list)),
    root: entryOf(0),
    entries: fc.array(entry, { maxLength: 25 }),
    version: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(2, 3, 4, 5) }, byte),
    addressSize: fc.oneof({ weight: 9, arbitrary: fc.constant(8) }, fc.nat(9)),
    extraLength: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, small),
  });
});
type Unit = typeof unit extends fc.Arbitrary<infer Value> ? Value : never;

function encodeUnit({ root, entries, version, addressSize, extraLength }: Unit): Uint8Array {
  const header = version >= 5 ? concat(bytes(1, addressSize), u32(0)) : concat(u32(0), bytes(addressSize));
  const content = concat(u16(version), header, root, ...entries);
  return concat(u32((content.length + extraLength) >>> 0), content);
}

const lineProgram = fc.record({
  version: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(2, 3, 4, 5) }, byte),
  settings: fc.tuple(
    fc.constantFrom(1, 4, 0),
    fc.constantFrom(1, 4, 0),
    fc.constant(1),
    byte,
    fc.constantFrom(14, 0, 1, 255),
  ),
  base: fc.oneof({ weight: 5, arbitrary: fc.constant(13) }, byte),
  tables: fc.oneof(fc.constant(concat(text('lib', '', 'main.cc'), bytes(1, 0, 0, 0))), noise(20)),
  program: fc.array(
    fc.oneof(
      address.map((value) => concat(bytes(0, 9, 2), u64(value))),
      fc.constant(bytes(0, 1, 1)),
      fc.tuple(fc.nat(12), small).map(([opcode, value]) => concat(bytes(opcode), uleb(value))),
      byte.map((value) => bytes(value)),
      noise(4),
    ),
    { maxLength: 40 },
  ),
});

const frames = fc.array(
  fc.record({
    isCommon: fc.boolean(),
    augmentation: fc.constantFrom('zR', 'zPLR', 'z', '', 'eh', 'zRS', 'xx'),
    encoding: fc.constantFrom(0x1b, 0x00, 0x03, 0x9b, 0x50, 0xff),
    start: address,
    size: fc.oneof(fc.nat(0x100), small),
    rules: fc.array(
      fc.oneof(
        byte.map((value) => bytes(value)),
        fc.tuple(fc.nat(0x16), small).map(([opcode, value]) => concat(bytes(opcode), uleb(value))),
        noise(6),
      ),
      { maxLength: 10 },
    ),
    wrong: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, small),
  }),
  { maxLength: 6 },
);

function encodeFrames(
  list: readonly {
    isCommon: boolean;
    augmentation: string;
    encoding: number;
    start: number;
    size: number;
    rules: Uint8Array[];
    wrong: number;
  }[],
  at: number,
): Uint8Array {
  let out = sized(u32(0), bytes(1), text('zR'), bytes(1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0));
  for (const { isCommon, augmentation, encoding, start, size, rules, wrong } of list) {
    const program = concat(...rules);
    const content = isCommon
      ? concat(u32(0), bytes(1), text(augmentation), bytes(1, 0x78, 16), uleb(1), bytes(encoding), program)
      : concat(
          u32((out.length + 4 + wrong) >>> 0),
          u32((start - (at + out.length + 8)) >>> 0),
          u32(size >>> 0),
          bytes(0),
          program,
        );
    out = concat(out, u32((content.length + (isCommon ? wrong : 0)) >>> 0), content);
  }
  return concat(out, u32(0));
}

const elf = fc.record({
  units: fc.array(unit, { minLength: 1, maxLength: 3 }),
  lines: lineProgram,
  frames,
  strings: noise(40),
  ranges: fc.array(address, { maxLength: 12 }),
  changes,
});

function buildProgram({
  units,
  lines,
  frames: list,
  strings,
  ranges,
}: Omit<typeof elf extends fc.Arbitrary<infer Value> ? Value : never, 'changes'>): TestSection[] {
  const { version, settings, base, tables, program } = lines;
  const [minimum, operations, statement, lineBase, range] = settings;
  const lengths = bytes(0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1);
  const head = concat(
    bytes(minimum),
    version >= 4 ? bytes(operations) : bytes(),
    bytes(statement, lineBase, range, base),
    lengths,
    tables,
  );
  const line = sized(u16(version), version >= 5 ? bytes(8, 0) : bytes(), u32(head.length), head, ...program);
  const framesAt = 0x403000;
  return [
    { name: '.text', flags: 6, address: CODE, bytes: new Uint8Array(CODE_SIZE).fill(0x90) },
    { name: '.eh_frame', flags: 2, address: framesAt, bytes: encodeFrames(list, framesAt) },
    { name: '.debug_frame', bytes: encodeFrames(list, 0) },
    { name: '.debug_info', bytes: concat(...units.map(encodeUnit)) },
    { name: '.debug_abbrev', bytes: units[0]!.abbreviations },
    { name: '.debug_line', bytes: line },
    { name: '.debug_str', bytes: strings },
    { name: '.debug_str_offsets', bytes: concat(u32(strings.length), u32(5), strings) },
    { name: '.debug_addr', bytes: concat(u32(64), u32(0x0800_0005), ...ranges.map(u64)) },
    { name: '.debug_ranges', bytes: concat(...ranges.map(u64)) },
    { name: '.debug_rnglists', bytes: concat(u32(64), u32(0x0800_0005), u32(0), strings, ...ranges.map(u64)) },
  ];
}

// PE

const rva = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0x1000, max: 0x4000 }) }, small);
const pe = fc.record({
  machine: fc.constantFrom(0x8664, 0xaa64, 0x14c),
  functions: fc.array(fc.tuple(rva, rva, rva), { maxLength: 20 }),
  unwind: noise(400),
  directories: fc.dictionary(fc.constantFrom('0', '3', '6', '14'), fc.tuple(rva, small), { maxKeys: 4 }),
  changes,
});

const pdb = fc.record({
  pageSize: fc.constantFrom(512, 1024, 4096),
  streams: fc.array(noise(300), { minLength: 5, maxLength: 9 }),
  symbols: fc.array(
    fc.record({
      kind: fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(0x1110, 0x110f, 0x1147, 0x1146, 0x114d, 0x114e, 0x06, 0x110e, 0x1103) },
        fc.nat(0xffff),
      ),
      content: noise(60),
      wrong: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.nat(0xffff)),
    }),
    { maxLength: 20 },
  ),
  subsections: fc.array(
    fc.record({
      kind: fc.constantFrom(0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6),
      content: noise(80),
      wrong: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, small),
    }),
    { maxLength: 6 },
  ),
  sizes: fc.array(fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, small), { minLength: 9, maxLength: 9 }),
  changes,
});

describe('files that are wrong in a few places', () => {
  it('ELF with DWARF', () => {
    check(elf, ({ changes: list, ...contents }) => changed(buildElf(buildProgram(contents)), list));
  });

  it('PE with unwind tables', () => {
    check(pe, ({ machine, functions, unwind, directories, changes: list }) => {
      const table = words(...functions.toSorted((a, b) => a[0] - b[0]).flat());
      const sections = [
        { name: '.text', address: 0x1000, bytes: new Uint8Array(0x2000).fill(0x90), executable: true },
        { name: '.xdata', address: 0x3000, bytes: unwind },
        { name: '.pdata', address: 0x4000, bytes: table },
      ];
      return changed(buildPe({ machine, sections, directories: { 3: [0x4000, table.length], ...directories } }), list);
    });
  });

  it('PDB', () => {
    fc.assert(
      fc.property(pdb, ({ changes: list, ...contents }) => void convert(changed(buildPdb(contents), list))),
      RUNS,
    );
  });
});
