import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MAC_BOOT_ARGS, MAC_CRASH_INFO } from './mac-crash-info.ts';

const texts = ['/usr/lib/libsystem_c.dylib', 'out of memory', '', 'a trace', 'more'];
const record = { version: 5, numbers: [7n, 0n, 9n], texts };

const read = {
  version: 5,
  thread: 7n,
  dialogMode: 0n,
  abortCause: 9n,
  modulePath: '/usr/lib/libsystem_c.dylib',
  message: 'out of memory',
  signatureString: '',
  backtrace: 'a trace',
  message2: 'more',
};

test('reads the numbers and texts of records', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(MAC_CRASH_INFO, { endian, mac: { crashInfo: [record, record] } }), {
      stream: [read, read],
      warnings: [],
    });
});

test('reads version 4 without an abort cause, and version 1 without numbers and texts', () => {
  const older = [4, 1].map((version) => ({ ...record, version }));
  const { stream } = readWritten(MAC_CRASH_INFO, { mac: { crashInfo: older } });
  assert.deepEqual(stream?.[0], { ...read, version: 4, abortCause: undefined });
  assert.deepEqual([stream?.[1]?.thread, stream?.[1]?.message], [undefined, '']);
});

test('skips texts after the fifth, and returns empty texts for missing ones', () => {
  const crashInfo = [
    { ...record, texts: [...texts, 'of a future version'] },
    { version: 5, texts: ['/lib/a.dylib'] },
  ];
  const { stream } = readWritten(MAC_CRASH_INFO, { mac: { crashInfo } });
  assert.deepEqual(stream?.[0], read);
  assert.deepEqual([stream?.[1]?.modulePath, stream?.[1]?.message2], ['/lib/a.dylib', '']);
});

test('reads the available part of a text that is cut off', () => {
  const { stream } = readDamaged(MAC_CRASH_INFO, { mac: { crashInfo: [record] } }, { at: 12, value: 40 + 8 });
  assert.deepEqual([stream?.[0]?.modulePath, stream?.[0]?.message], ['/usr/lib', '']);
});

test('reads a record with only a type and a version as empty, and skips a shorter one', () => {
  const mac = { crashInfo: [record] };
  const { stream } = readDamaged(MAC_CRASH_INFO, { mac }, { at: 12, value: 16 });
  assert.deepEqual([stream?.[0]?.version, stream?.[0]?.thread, stream?.[0]?.modulePath], [5, undefined, '']);
  assert.deepEqual(readDamaged(MAC_CRASH_INFO, { mac }, { at: 12, value: 15 }).stream, []);
});

test('warns about a record outside the file, and reads the others', () => {
  const mac = { crashInfo: [record, record] };
  const { stream, warnings } = readDamaged(MAC_CRASH_INFO, { mac }, { at: 12 + 4, value: 0xffff_fff0 });
  assert.deepEqual(stream, [read]);
  assert.match(warnings.join(), /^MozMacosCrashInfoStream: a record of \d+ bytes at 4294967280 cannot be read$/);
});

test('reads at most 20 records', () => {
  const { stream, warnings } = readDamaged(MAC_CRASH_INFO, { mac: { crashInfo: [record] } }, { at: 4, value: 2 ** 31 });
  assert.deepEqual(stream?.[0], read);
  assert.match(warnings.join(), /claims 2147483648 records, but the format allows only 20/);
});

test('reads the boot arguments', () => {
  for (const endian of ['little', 'big'] as const)
    assert.equal(readWritten(MAC_BOOT_ARGS, { endian, mac: { bootArgs: '-v debug=0x14e' } }).stream, '-v debug=0x14e');
});

test('warns about arguments outside the file', () => {
  const { stream, warnings } = readDamaged(MAC_BOOT_ARGS, { mac: { bootArgs: '-v' } }, { at: 8, value: 0xffff_ffff });
  assert.equal(stream, undefined);
  assert.match(warnings.join(), /^MozMacosBootArgsStream: /);
});
