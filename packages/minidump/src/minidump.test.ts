import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../test/dump-writer/dump-writer.ts';
import { MinidumpError } from './error.ts';
import { Minidump, type StreamKind } from './minidump.ts';

const KIND = 0x1234;

/** A stream whose value is its bytes. */
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
  test(`reads the header and the directory of a ${endian}-endian dump`, () => {
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

test('rejects a file that is too short or does not begin with MDMP', () => {
  const notAMinidump = { name: 'MinidumpError', code: 'not-a-minidump' };
  assert.throws(() => new Minidump(new Uint8Array(0)), notAMinidump);
  assert.throws(() => new Minidump(writeDump({}).subarray(0, 31)), notAMinidump);
  assert.throws(() => new Minidump(new Uint8Array(100)), notAMinidump);
});

test('reads a dump of another version, with a warning', () => {
  const dump = new Minidump(setU32(writeDump({ extra }), 4, 0xa794));
  assert.deepEqual(dump.warnings, ['the header has version 42900 instead of 42899']);
  assert.ok(dump.stream(RAW));
});

test('throws `truncated` if the directory is outside the file', () => {
  assert.throws(() => new Minidump(setU32(writeDump({ extra }), 12, 0xffff_fff0)), { code: 'truncated' });
});

test('reads the available streams of a directory that claims 4 billion', () => {
  const dump = new Minidump(setU32(writeDump({ extra }), 8, 0xffff_ffff));
  assert.equal(dump.directory.length, 1);
  assert.deepEqual(dump.warnings, ['the directory claims 4294967295 streams, but only 1 can be read']);
});

test('returns undefined for a missing stream, without a warning', () => {
  const dump = new Minidump(writeDump({}));
  assert.equal(dump.stream(RAW), undefined);
  assert.deepEqual(dump.warnings, []);
});

test('uses the first of two streams of the same type', () => {
  const dump = new Minidump(writeDump({ extra: [...extra, { type: KIND, bytes: Uint8Array.of(9) }] }));
  assert.deepEqual(dump.stream(RAW), Uint8Array.of(1, 2, 3, 4));
});

test('parses a stream once, on the first request', () => {
  let count = 0;
  const counting: StreamKind<number> = { ...RAW, read: () => (count += 1) };
  const dump = new Minidump(writeDump({ extra }));
  assert.equal(count, 0);
  assert.deepEqual([dump.stream(counting), dump.stream(counting)], [1, 1]);
});

test('reads the available part of a stream that is cut off', () => {
  const whole = writeDump({ extra });
  const dump = new Minidump(setU32(whole, directoryAt(whole) + 4, 1000));
  assert.equal(dump.stream(RAW)?.length, whole.length - dump.directory[0]!.rva);
  assert.match(dump.warnings.join(), /^RawStream: only \d+ of its 1000 bytes are available$/);
});

test('returns undefined for an unreadable stream, with a warning that names it', () => {
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

test('does not hide programming errors', () => {
  const broken: StreamKind<never> = {
    ...RAW,
    read: () => {
      throw new TypeError('a mistake');
    },
  };
  assert.throws(() => new Minidump(writeDump({ extra })).stream(broken), TypeError);
});

test('keeps at most a hundred warnings', () => {
  const dump = new Minidump(writeDump({}));
  for (let index = 0; index < 1000; index += 1) dump.warn(`warning ${index}`);
  assert.equal(dump.warnings.length, 100);
});

test('limits the total size of all texts, with one warning', () => {
  const dump = new Minidump(writeDump({}));
  const all = { rva: 0, size: dump.bytes.size };
  assert.equal(dump.copyable(all)?.size, all.size);
  assert.equal(dump.copyable(all)?.size, all.size);
  assert.deepEqual([dump.copyable(all), dump.copyable({ rva: 0, size: 1 })], [undefined, undefined]);
  assert.equal(dump.copyable({ rva: 0, size: 0 })?.size, 0);
  assert.deepEqual(dump.warnings, ['the texts together are far larger than the file, so some were left out']);
});

test('rejects a text that is outside the file or extends past its end', () => {
  const dump = new Minidump(writeDump({}));
  const { size } = dump.bytes;
  assert.equal(dump.copyable({ rva: size - 1, size: 2 }), undefined);
  assert.equal(dump.copyable({ rva: 0xffff_ffff, size: 0 }), undefined);
  assert.equal(dump.copyable({ rva: size - 1, size: 1 })?.size, 1);
  assert.deepEqual(dump.warnings, []);
});
