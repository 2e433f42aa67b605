import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../test/dump-writer/dump-writer.ts';
import { MinidumpError } from './error.ts';
import { Minidump, type StreamKind } from './minidump.ts';

const KIND = 0x1234;

/** Hands out the stream’s bytes. */
const RAW: StreamKind<Uint8Array> = { type: KIND, name: 'RawStream', read: ({ bytes }) => bytes.array };

const extra = [{ type: KIND, bytes: Uint8Array.of(1, 2, 3, 4) }];

function setU32(file: Uint8Array, at: number, value: number): Uint8Array {
  const changed = file.slice();
  new DataView(changed.buffer).setUint32(at, value, true);
  return changed;
}

function directoryAt(file: Uint8Array): number {
  return new DataView(file.buffer).getUint32(12, true);
}

for (const endian of ['little', 'big'] as const) {
  test(`Header and directory of a ${endian}-endian dump are read.`, () => {
    const dump = new Minidump(writeDump({ endian, timestamp: 1_700_000_000, flags: 0x1_0000_0002n, extra }));
    assert.equal(dump.timestamp, 1_700_000_000);
    assert.equal(dump.flags, 0x1_0000_0002n);
    assert.equal(dump.bytes.littleEndian, endian === 'little');
    assert.deepEqual(
      dump.directory.map(({ type, size }) => ({ type, size })),
      [{ type: KIND, size: 4 }],
    );
    assert.deepEqual(dump.stream(RAW), Uint8Array.of(1, 2, 3, 4));
    assert.deepEqual(dump.warnings, []);
  });
}

test('A file that is too short or does not begin with MDMP is no minidump.', () => {
  const no = { name: 'MinidumpError', code: 'not-a-minidump' };
  assert.throws(() => new Minidump(new Uint8Array(0)), no);
  assert.throws(() => new Minidump(writeDump({}).subarray(0, 31)), no);
  assert.throws(() => new Minidump(new Uint8Array(100)), no);
});

test('Another version is read all the same, with a warning.', () => {
  const dump = new Minidump(setU32(writeDump({ extra }), 4, 0xa794));
  assert.deepEqual(dump.warnings, ['the header gives version 42900, not 42899']);
  assert.ok(dump.stream(RAW));
});

test('A directory that lies outside the file throws truncated.', () => {
  assert.throws(() => new Minidump(setU32(writeDump({ extra }), 12, 0xffff_fff0)), { code: 'truncated' });
});

test('Of a directory that claims 4 billion streams, those that are there are read.', () => {
  const dump = new Minidump(setU32(writeDump({ extra }), 8, 0xffff_ffff));
  assert.equal(dump.directory.length, 1);
  assert.deepEqual(dump.warnings, ['the directory claims 4294967295 streams; 1 of them can be read']);
});

test('A stream that is not there is undefined, without a warning.', () => {
  const dump = new Minidump(writeDump({}));
  assert.equal(dump.stream(RAW), undefined);
  assert.deepEqual(dump.warnings, []);
});

test('Of two streams of one kind the first counts.', () => {
  const dump = new Minidump(writeDump({ extra: [...extra, { type: KIND, bytes: Uint8Array.of(9) }] }));
  assert.deepEqual(dump.stream(RAW), Uint8Array.of(1, 2, 3, 4));
});

test('A stream is parsed once, when it is asked for.', () => {
  let count = 0;
  const counting: StreamKind<number> = { ...RAW, read: () => (count += 1) };
  const dump = new Minidump(writeDump({ extra }));
  assert.equal(count, 0);
  assert.deepEqual([dump.stream(counting), dump.stream(counting)], [1, 1]);
});

test('A stream that the end of the file cuts off is read as far as it is there.', () => {
  const whole = writeDump({ extra });
  const dump = new Minidump(setU32(whole, directoryAt(whole) + 4, 1000));
  assert.equal(dump.stream(RAW)?.length, whole.length - dump.directory[0]!.rva);
  assert.match(dump.warnings.join(), /^RawStream: only \d+ of its 1000 bytes are there$/);
});

test('A stream that cannot be read is undefined, with a warning that names it.', () => {
  const failing: StreamKind<never> = {
    ...RAW,
    read: () => {
      throw new MinidumpError('malformed', 'no good');
    },
  };
  const dump = new Minidump(writeDump({ extra }));
  assert.equal(dump.stream(failing), undefined);
  assert.equal(dump.stream(failing), undefined);
  assert.deepEqual(dump.warnings, ['RawStream: no good']);
});

test('An error of the program itself is not taken for one of the dump.', () => {
  const broken: StreamKind<never> = {
    ...RAW,
    read: () => {
      throw new TypeError('a mistake');
    },
  };
  assert.throws(() => new Minidump(writeDump({ extra })).stream(broken), TypeError);
});

test('A hundred warnings are kept, not a million.', () => {
  const dump = new Minidump(writeDump({}));
  for (let index = 0; index < 1000; index += 1) dump.warn(`warning ${index}`);
  assert.equal(dump.warnings.length, 100);
});

test('Texts that are together far larger than the file are refused, with one warning.', () => {
  const dump = new Minidump(writeDump({}));
  const all = { rva: 0, size: dump.bytes.size };
  assert.equal(dump.copyable(all)?.size, all.size);
  assert.equal(dump.copyable(all)?.size, all.size);
  assert.deepEqual([dump.copyable(all), dump.copyable({ rva: 0, size: 1 })], [undefined, undefined]);
  assert.equal(dump.copyable({ rva: 0, size: 0 })?.size, 0);
  assert.deepEqual(dump.warnings, ['the texts are together far larger than the file; some are left out']);
});

test('A text that lies outside the file, or goes on past its end, is refused.', () => {
  const dump = new Minidump(writeDump({}));
  const { size } = dump.bytes;
  assert.equal(dump.copyable({ rva: size - 1, size: 2 }), undefined);
  assert.equal(dump.copyable({ rva: 0xffff_ffff, size: 0 }), undefined);
  assert.equal(dump.copyable({ rva: size - 1, size: 1 })?.size, 1);
  assert.deepEqual(dump.warnings, []);
});
