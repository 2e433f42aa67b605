import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { Bytes } from '../bytes.ts';
import { Minidump, type StreamInput } from '../minidump.ts';
import { UNLOADED_MODULES } from './modules.ts';
import { THREADS } from './threads.ts';

const two = { threads: [{ id: 7 }, { id: 8 }] };
const unloadedModules = [
  { base: 0x1000n, size: 16, name: 'a.dll' },
  { base: 0x2000n, size: 32, name: 'b.dll' },
];

/** A stream with these bytes, as the dump would pass it to its reader. */
function inputOf(array: Uint8Array): StreamInput {
  const dump = new Minidump(writeDump({}));
  return { bytes: new Bytes(array, true), claimedSize: array.length, dump, warn: (text) => dump.warn(text) };
}

test('reads a list with 4 bytes of padding after the count', () => {
  const padded = readWritten(THREADS, { ...two, paddedLists: true });
  assert.deepEqual(
    padded.stream?.map(({ id }) => id),
    [7, 8],
  );
  assert.deepEqual(padded.warnings, []);
});

// The size in the directory reveals the padding, even if the file is cut off.
test('detects the padding in a list that is cut off', () => {
  const bytes = new Uint8Array(4 + 4 + 48 + 10);
  bytes.set([2, 0, 0, 0, 0xee, 0xee, 0xee, 0xee, 7]);
  const input = { ...inputOf(bytes), claimedSize: 4 + 4 + 2 * 48 };
  assert.deepEqual(
    THREADS.read(input).map(({ id }) => id),
    [7],
  );
});

test('reads the available entries of a list that claims more, with a warning', () => {
  const { stream, warnings } = readDamaged(THREADS, two, { at: 0, value: 0xffff_ffff });
  assert.deepEqual(
    stream?.map(({ id }) => id),
    [7, 8],
  );
  assert.deepEqual(warnings, ['ThreadListStream: claims 4294967295 entries, but only 2 are available']);
});

test('reads the available entries of a list with a header that claims more, with a warning', () => {
  const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at: 8, value: 1000 });
  assert.deepEqual(
    stream?.map(({ codeFile }) => codeFile),
    ['a.dll', 'b.dll'],
  );
  assert.deepEqual(warnings, ['UnloadedModuleListStream: claims 1000 entries, but only 2 are available']);
});

test('reads as many entries as a list claims, even if its size allows more', () => {
  assert.equal(readDamaged(THREADS, two, { at: 0, value: 1 }).stream?.length, 1);
});

test('reads an empty list', () => {
  assert.deepEqual(readWritten(THREADS, { threads: [] }), { stream: [], warnings: [] });
});

test('skips unknown fields at the end of entries', () => {
  // Entries of 32 bytes: 24 known bytes, and 8 bytes of a future version.
  const bytes = new Uint8Array(12 + 2 * 32);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of [
    [0, 12],
    [4, 32],
    [8, 2],
    [12, 0x1000],
    [44, 0x2000],
  ] as const)
    view.setUint32(at, value, true);
  assert.deepEqual(
    UNLOADED_MODULES.read(inputOf(bytes)).map(({ base }) => base),
    [0x1000n, 0x2000n],
  );
});

test('rejects a header or entries that are too small', () => {
  for (const at of [0, 4]) {
    const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at, value: 8 });
    assert.equal(stream, undefined);
    assert.match(warnings.join(), /^UnloadedModuleListStream: the header \(.* are too small/);
  }
});

test('reads no entries that claim to have 4 billion bytes each', () => {
  const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at: 4, value: 0xffff_ffff });
  assert.deepEqual(stream, []);
  assert.deepEqual(warnings, ['UnloadedModuleListStream: claims 2 entries, but only 0 are available']);
});
