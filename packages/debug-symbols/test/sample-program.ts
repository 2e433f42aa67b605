// A small program with one function and a call that was inlined into it, in DWARF 4.
// cspell:ignore outeri
import { buildElf, bytes, concat, sized, type TestSection, text, u16, u32, u64 } from './build-elf.ts';

const CODE = 0x401000;
const CODE_SIZE = 0x40;
const EXECUTABLE = 6;

const ABBREVIATIONS = bytes(
  ...[1, 0x11, 1, 0x10, 0x06, 0x03, 0x08, 0x1b, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0],
  ...[2, 0x2e, 1, 0x6e, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0],
  ...[3, 0x1d, 0, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0b, 0, 0],
  ...[4, 0x2e, 0, 0x03, 0x08, 0, 0],
  0,
);

function units(copies = 1): Uint8Array {
  const root = concat(bytes(1), u32(0), text('main.cc', '/src'), u64(CODE), u32(CODE_SIZE));
  const inner = concat(bytes(4), text('inner'));
  // 11 bytes of header are in front of the first entry.
  const innerAt = 11 + root.length;
  const outer = concat(bytes(2), text('_Z5outeri'), u64(CODE), u32(CODE_SIZE));
  const call = concat(bytes(3), u32(innerAt), u64(CODE + 0x10), u32(8), bytes(1, 12));
  const functions = repeated(concat(outer, call, bytes(0)), copies);
  return sized(u16(4), u32(0), bytes(8), root, inner, functions, bytes(0));
}

function repeated(part: Uint8Array, copies: number): Uint8Array {
  const all = new Uint8Array(part.length * copies);
  for (let copy = 0; copy < copies; copy += 1) all.set(part, copy * part.length);
  return all;
}

function lines(): Uint8Array {
  const tables = concat(text('lib'), bytes(0), text('main.cc'), bytes(0, 0, 0), text('inner.h'), bytes(1, 0, 0, 0));
  const header = concat(bytes(1, 1, 1, 0xfb, 14, 13), bytes(0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1), tables);
  const program = concat(
    // From the start, line 10; from 0x10 on, line 3 of inner.h; from 0x18 on, line 13.
    ...[bytes(0, 9, 2), u64(CODE), bytes(3, 9, 1)],
    ...[bytes(2, 0x10, 4, 2, 3, 0x79, 1)],
    ...[bytes(2, 0x08, 4, 1, 3, 10, 1)],
    ...[bytes(2, 0x28, 0, 1, 1)],
  );
  return sized(u16(4), u32(header.length), header, program);
}

function frames(at: number): Uint8Array {
  const common = sized(u32(0), bytes(1), text('zR'), bytes(1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0));
  const start = CODE - (at + common.length + 8);
  // After one byte, the base pointer is saved; from 0x3f on, it has its value again.
  const rules = bytes(0x41, 0x0e, 16, 0x86, 2, 0x02, 0x3e, 0x0e, 8, 0xc6, 0, 0);
  const entry = sized(u32(common.length + 4), u32(start >>> 0), u32(CODE_SIZE), bytes(0), rules);
  return concat(common, entry, u32(0));
}

/** The sections of the program, to change some of them. */
export function sampleSections(): TestSection[] {
  const framesAt = 0x402000;
  return [
    { name: '.note.gnu.build-id', type: 7, bytes: concat(u32(4), u32(16), u32(3), text('GNU'), BUILD_ID) },
    { name: '.text', flags: EXECUTABLE, address: CODE, bytes: new Uint8Array(CODE_SIZE).fill(0x90) },
    { name: '.eh_frame', flags: 2, address: framesAt, bytes: frames(framesAt) },
    { name: '.debug_info', bytes: units() },
    { name: '.debug_abbrev', bytes: ABBREVIATIONS },
    { name: '.debug_line', bytes: lines() },
  ];
}

const BUILD_ID = Uint8Array.from({ length: 16 }, (_, index) => index);

export function sampleProgram(): Uint8Array {
  return buildElf(sampleSections());
}

/** The same program with a unit of more than 8 MB, in which each function is many times. */
export function hugeUnitProgram(): Uint8Array {
  const huge = (section: TestSection) =>
    section.name === '.debug_info' ? { ...section, bytes: units(170_000) } : section;
  return buildElf(sampleSections().map(huge));
}

/** The same program with so many equal units that several threads read it. */
export function largeProgram(): Uint8Array {
  const large = ({ name, bytes, ...section }: TestSection) => {
    if (name !== '.debug_info') return { name, bytes, ...section };
    return { name, bytes: repeated(bytes, Math.ceil((4.1 * 1024 * 1024) / bytes.length)) };
  };
  return buildElf(sampleSections().map(large));
}

export const SAMPLE_SYMBOLS = `MODULE Linux x86_64 030201000504070608090A0B0C0D0E0F0 game
INFO CODE_ID 000102030405060708090A0B0C0D0E0F
INFO GENERATOR chauffeur-dump-syms
FILE 0 /src/main.cc
FILE 1 /src/lib/inner.h
INLINE_ORIGIN 0 inner
FUNC 1000 40 0 outer(int)
INLINE 0 12 0 0 1010 8
1000 10 10 0
1010 8 3 1
1018 28 13 0
STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^
STACK CFI 103f .cfa: $rsp 8 + $rbp: $rbp
`;
