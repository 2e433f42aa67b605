import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { Bytes } from '../bytes.ts';
import { Minidump, type StreamInput } from '../minidump.ts';
import { THREADS } from './threads.ts';
import { UNLOADED_MODULES } from './unloaded-modules.ts';

const two = { threads: [{ id: 7 }, { id: 8 }] };
const unloadedModules = [
  { base: 0x1000n, size: 16, name: 'a.dll' },
  { base: 0x2000n, size: 32, name: 'b.dll' },
];

/** A stream of its own, as the dump would hand it to its reader. */
function inputOf(array: Uint8Array): StreamInput {
  const dump = new Minidump(writeDump({}));
  return { bytes: new Bytes(array, true), claimedSize: array.length, dump, warn: (text) => dump.warn(text) };
}

test('A list with 4 bytes between count and first entry is read like one without.', () => {
  const padded = readWritten(THREADS, { ...two, paddedLists: true });
  assert.deepEqual(
    padded.stream?.map(({ id }) => id),
    [7, 8],
  );
  assert.deepEqual(padded.warnings, []);
});

// The directory’s size tells the padding; when the file is cut, it still does.
test('The padding is seen in a list that the end of the file cuts off.', () => {
  const bytes = new Uint8Array(4 + 4 + 48 + 10);
  bytes.set([2, 0, 0, 0, 0xee, 0xee, 0xee, 0xee, 7]);
  const input = { ...inputOf(bytes), claimedSize: 4 + 4 + 2 * 48 };
  assert.deepEqual(
    THREADS.read(input).map(({ id }) => id),
    [7],
  );
});

test('Of a list that claims more entries than there are, those that are there are read, with a warning.', () => {
  const { stream, warnings } = readDamaged(THREADS, two, { at: 0, value: 0xffff_ffff });
  assert.deepEqual(
    stream?.map(({ id }) => id),
    [7, 8],
  );
  assert.deepEqual(warnings, ['ThreadListStream: claims 4294967295 entries; 2 of them are there']);
});

test('So it is of a list with a header.', () => {
  const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at: 8, value: 1000 });
  assert.deepEqual(
    stream?.map(({ codeFile }) => codeFile),
    ['a.dll', 'b.dll'],
  );
  assert.deepEqual(warnings, ['UnloadedModuleListStream: claims 1000 entries; 2 of them are there']);
});

test('A list that claims fewer entries than its size has room for is believed.', () => {
  assert.equal(readDamaged(THREADS, two, { at: 0, value: 1 }).stream?.length, 1);
});

test('An empty list is empty.', () => {
  assert.deepEqual(readWritten(THREADS, { threads: [] }), { stream: [], warnings: [] });
});

test('Entries longer than the format’s are stepped over as a whole.', () => {
  // Entries of 32 bytes: the 24 known ones, and 8 of a version to come.
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

test('A header or entries smaller than the format’s cannot be read.', () => {
  for (const at of [0, 4]) {
    const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at, value: 8 });
    assert.equal(stream, undefined);
    assert.match(warnings.join(), /^UnloadedModuleListStream: a header of .* are less than the format has/);
  }
});

test('Entries of 4 billion bytes each are not there.', () => {
  const { stream, warnings } = readDamaged(UNLOADED_MODULES, { unloadedModules }, { at: 4, value: 0xffff_ffff });
  assert.deepEqual(stream, []);
  assert.deepEqual(warnings, ['UnloadedModuleListStream: claims 2 entries; 0 of them are there']);
});
