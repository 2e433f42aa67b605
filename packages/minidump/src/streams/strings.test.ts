import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { Bytes } from '../bytes.ts';
import { Minidump } from '../minidump.ts';
import { CRASHPAD_INFO } from './crashpad-info.ts';
import { MODULES, UNLOADED_MODULES } from './modules.ts';
import { decodeUtf8, decodeUtf16, readUtf16String } from './strings.ts';
import { THREAD_NAMES } from './threads.ts';

function nameOf(name: string, endian: 'little' | 'big'): string | undefined {
  return readWritten(UNLOADED_MODULES, { endian, unloadedModules: [{ base: 0n, size: 1, name }] }).stream?.[0]
    ?.codeFile;
}

test('reads any UTF-16 text in both byte orders', () => {
  const wellFormed = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(wellFormed, fc.constantFrom('little' as const, 'big' as const), (text, endian) => {
      assert.equal(nameOf(text, endian), text);
    }),
  );
});

test('keeps a byte order mark as part of the text', () => {
  assert.equal(nameOf('\ufeffgame', 'little'), '\ufeffgame');
  assert.equal(nameOf('\ufeffgame', 'big'), '\ufeffgame');
});

test('replaces lone surrogates by U+FFFD', () => {
  assert.equal(nameOf('a\ud83cb', 'little'), 'a\ufffdb');
  assert.equal(nameOf('a\udfae', 'big'), 'a\ufffd');
});

test('reads UTF-8, and replaces invalid bytes by U+FFFD', () => {
  const crashpad = { simpleAnnotations: { key: 'Grüße 🎮' } };
  assert.equal(readWritten(CRASHPAD_INFO, { crashpad }).stream?.simpleAnnotations.get('key'), 'Grüße 🎮');
  assert.equal(decodeUtf8(new Bytes(Uint8Array.of(0x61, 0xff, 0x62), true)), 'a\ufffdb');
});

test('ends a text at a NUL, even if it is longer', () => {
  assert.equal(nameOf('game.dll\0garbage', 'little'), 'game.dll');
  assert.equal(decodeUtf8(new Bytes(Uint8Array.of(0x61, 0, 0x62), true)), 'a');
});

test('ignores an odd byte at the end of UTF-16', () => {
  assert.equal(decodeUtf16(new Bytes(Uint8Array.of(0x61, 0, 0x62), true)), 'a');
});

test('returns undefined for a string that extends past the end of the file', () => {
  const dump = new Minidump(writeDump({ extra: [{ type: 1, bytes: Uint8Array.of(0xff, 0xff, 0xff, 0x7f) }] }));
  assert.equal(readUtf16String(dump, dump.directory[0]!.rva), undefined);
  assert.equal(readUtf16String(dump, dump.bytes.size - 3), undefined);
});

test('returns an empty text for a name outside the file, with a warning that says which name', () => {
  const unloadedModules = [{ base: 0xabc000n, size: 1, name: 'gone.dll' }];
  const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at: 12 + 20, value: 0xffff_fff0 });
  assert.equal(stream?.[0]?.codeFile, '');
  assert.match(warnings.join(), /the name of the unloaded module at 0xabc000 cannot be read/);
});

// 3,000 modules that share a string of 100 KB as their name would result in 300 MB of names.
test('limits the total size of names that many modules share', () => {
  const name = 'x'.repeat(50_000);
  const modules = Array.from({ length: 3000 }, (_, index) => ({ base: BigInt(index) << 16n, size: 1 }));
  const file = writeDump({ modules: [{ base: 0xffff_0000n, size: 1, name }, ...modules] });
  const stream = new Minidump(file).directory[0]!.rva;
  const view = new DataView(file.buffer);
  const nameRva = view.getUint32(stream + 4 + 20, true);
  for (let index = 1; index <= 3000; index += 1) view.setUint32(stream + 4 + index * 108 + 20, nameRva, true);
  const dump = new Minidump(file);
  const names = dump.stream(MODULES)!.map(({ codeFile }) => codeFile.length);
  assert.equal(names.length, 3001);
  assert.ok(names.reduce((sum, length) => sum + length, 0) <= 2 * file.length);
  assert.match(dump.warnings.join(), /together are far larger than the file/);
});

// Creating 100,000 errors with stack traces would take seconds.
test('is fast for many names outside the file', () => {
  const bytes = new Uint8Array(4 + 12 * 100_000).fill(0xff);
  new DataView(bytes.buffer).setUint32(0, 100_000, true);
  const dump = new Minidump(writeDump({ extra: [{ type: THREAD_NAMES.type, bytes }] }));
  const before = process.cpuUsage();
  assert.equal(dump.stream(THREAD_NAMES)?.size, 0);
  assert.ok(process.cpuUsage(before).user < 500_000);
  assert.equal(dump.warnings.length, 100);
});
