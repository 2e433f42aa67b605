import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MAC_CRASH_INFO } from './mac-crash-info.ts';

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

test('Records have their numbers and texts.', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(MAC_CRASH_INFO, { endian, mac: { crashInfo: [record, record] } }), {
      stream: [read, read],
      warnings: [],
    });
});

test('A record of version 4 has no abort cause, and one of version 1 neither numbers nor texts.', () => {
  const older = [4, 1].map((version) => ({ ...record, version }));
  const { stream } = readWritten(MAC_CRASH_INFO, { mac: { crashInfo: older } });
  assert.deepEqual(stream?.[0], { ...read, version: 4, abortCause: undefined });
  assert.deepEqual([stream?.[1]?.thread, stream?.[1]?.message], [undefined, '']);
});

test('Texts after the fifth are passed over, and missing ones are empty.', () => {
  const crashInfo = [
    { ...record, texts: [...texts, 'of a version to come'] },
    { version: 5, texts: ['/lib/a.dylib'] },
  ];
  const { stream } = readWritten(MAC_CRASH_INFO, { mac: { crashInfo } });
  assert.deepEqual(stream?.[0], read);
  assert.deepEqual([stream?.[1]?.modulePath, stream?.[1]?.message2], ['/lib/a.dylib', '']);
});

test('A text that the record’s end cuts off is read as far as it goes.', () => {
  const { stream } = readDamaged(MAC_CRASH_INFO, { mac: { crashInfo: [record] } }, { at: 12, value: 40 + 8 });
  assert.deepEqual([stream?.[0]?.modulePath, stream?.[0]?.message], ['/usr/lib', '']);
});

test('A record of stream type and version alone is one without anything; a shorter one is none.', () => {
  const mac = { crashInfo: [record] };
  const { stream } = readDamaged(MAC_CRASH_INFO, { mac }, { at: 12, value: 16 });
  assert.deepEqual([stream?.[0]?.version, stream?.[0]?.thread, stream?.[0]?.modulePath], [5, undefined, '']);
  assert.deepEqual(readDamaged(MAC_CRASH_INFO, { mac }, { at: 12, value: 15 }).stream, []);
});

test('A record that lies outside the file is left out with a warning, and the others are kept.', () => {
  const mac = { crashInfo: [record, record] };
  const { stream, warnings } = readDamaged(MAC_CRASH_INFO, { mac }, { at: 12 + 4, value: 0xffff_fff0 });
  assert.deepEqual(stream, [read]);
  assert.match(warnings.join(), /^MozMacosCrashInfoStream: a record of \d+ bytes at 4294967280 cannot be read$/);
});

test('Not more than 20 records are read.', () => {
  const { stream, warnings } = readDamaged(MAC_CRASH_INFO, { mac: { crashInfo: [record] } }, { at: 4, value: 2 ** 31 });
  assert.deepEqual(stream?.[0], read);
  assert.match(warnings.join(), /claims 2147483648 records; the format has room for 20/);
});
