import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { buildZip, ordinaryPieces, storeZip, type ZipEnd, type ZipPiece } from '../../../test/setup/zips.ts';
import { BlobMissingError } from '../blobs/store.ts';
import { readZipDirectory } from './zip-directory.ts';
import { type ZipDirectory, ZipError } from './zip-entry.ts';

async function read(t: TestContext, ...bytes: readonly Buffer[]): Promise<ZipDirectory> {
  const zip = await storeZip(...bytes);
  t.after(zip.remove);
  return readZipDirectory(zip.store, zip.key, zip.size, 1000);
}

async function readPath(t: TestContext, piece: ZipPiece): Promise<readonly string[]> {
  return (await read(t, buildZip([piece]))).entries[0]?.names ?? [];
}

/** A Unicode Path Extra Field that renames `raw`. */
function unicodePath(raw: string, name: string): Buffer {
  const field = Buffer.from(`..\0\0\x01....${name}`);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(field.length - 4, 2);
  field.writeUInt32LE(crc32(raw), 5);
  return field;
}

describe('readZipDirectory', () => {
  it('reads the entries of an ordinary zip', async (t) => {
    const bytes = buildZip(ordinaryPieces(), { comment: 'made for a test' });
    const { entries, entryCount, fileSize } = await read(t, bytes);
    assert.deepEqual([entryCount, fileSize], [4, bytes.length]);
    assert.deepEqual(
      entries.map(({ path, type, size, method }) => [path, type, size, method]),
      [
        ['game.exe', 'file', 800, 8],
        ['data/', 'folder', 0, 0],
        ['data/map.bin', 'file', 500, 0],
        ['data/größe.txt', 'file', 16, 8],
      ],
    );
  });

  it('reads zip64', async (t) => {
    const pieces = ordinaryPieces().map((piece) => ({ ...piece, zip64: true }));
    const { entries } = await read(t, buildZip(pieces, { zip64: true, comment: 'x'.repeat(65_535) }));
    assert.deepEqual(
      [entries.length, entries[2]?.size, entries[2]?.crc32],
      [4, 500, crc32(ordinaryPieces()[2]?.data ?? '')],
    );
  });

  it('reads a directory that is longer than the tail', async (t) => {
    const pieces = Array.from({ length: 900 }, (_, index) => ({ name: `${index}/${'x'.repeat(300)}`, data: 'a' }));
    assert.equal((await read(t, buildZip(pieces))).entries.length, 900);
  });

  it("reads zips from Python's zip writer", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'chauffeur-python-'));
    t.after(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'a.txt'), 'a');
    try {
      await promisify(execFile)('python3', ['-m', 'zipfile', '-c', 'a.zip', 'a.txt'], { cwd: folder });
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      return t.skip('skipped: python3 not found');
    }
    assert.deepEqual(
      (await read(t, await readFile(join(folder, 'a.zip')))).entries.map(({ path }) => path),
      ['a.txt'],
    );
  });

  it('recognizes symbolic links by their mode', async (t) => {
    const { entries } = await read(t, buildZip([{ name: 'link', data: 'a', mode: 0o120777 }]));
    assert.equal(entries[0]?.type, 'symlink');
  });

  it('reads names as UTF-8 if they are valid UTF-8, otherwise as code page 437', async (t) => {
    assert.deepEqual(await readPath(t, { name: 'größe', flags: 0 }), ['größe']);
    assert.deepEqual(await readPath(t, { name: Buffer.from([0x67, 0x94]), flags: 0 }), ['gö']);
    assert.match((await readPath(t, { name: Buffer.from([0x67, 0x94]), flags: 0x800 }))[0] ?? '', /\uFFFD/);
  });

  it('returns both names if a Unicode path field has a second one', async (t) => {
    assert.deepEqual(await readPath(t, { name: 'plain', extra: unicodePath('plain', '../evil') }), [
      '../evil',
      'plain',
    ]);
    assert.deepEqual(await readPath(t, { name: 'plain', extra: unicodePath('other', '../evil') }), ['plain']);
  });

  it('reads no entries if more are announced than allowed', async (t) => {
    const { entries, entryCount } = await read(t, buildZip(ordinaryPieces(), { count: 1001 }));
    assert.deepEqual([entries.length, entryCount], [0, 1001]);
  });

  it('refuses files that are not zips, and truncated zips', async (t) => {
    const zip = buildZip(ordinaryPieces());
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('PK'),
      Buffer.alloc(300_000),
      zip.subarray(0, -22),
      zip.subarray(0, 500),
    ]) {
      await assert.rejects(
        read(t, bytes),
        (error) => error instanceof ZipError && /not a \.zip, or its end/.test(error.message),
      );
    }
    await assert.rejects(read(t, zip.subarray(0, -1)), ZipError);
    await assert.rejects(read(t, zip.subarray(1)), ZipError);
  });

  it('refuses end records that unpackers would read in different ways', async (t) => {
    const wrongEnds: ZipEnd[] = [
      { count: 3 },
      { count: 5 },
      { directorySize: 46 },
      { directoryOffset: 0 },
      { directoryOffset: 0xffffffff },
      { disk: 1 },
      { zip64: true, count: 3 },
      { zip64: true, directorySize: 46 },
      { zip64: true, directoryOffset: 0 },
      { zip64: true, disk: 1 },
    ];
    for (const end of wrongEnds)
      await assert.rejects(read(t, buildZip(ordinaryPieces(), end)), ZipError, JSON.stringify(end));
  });

  it('refuses bytes before or after the zip', async (t) => {
    const zip = buildZip(ordinaryPieces());
    await assert.rejects(read(t, Buffer.alloc(7), zip), ZipError);
    await assert.rejects(read(t, zip, Buffer.alloc(7)), ZipError);
    await assert.rejects(read(t, zip, zip), ZipError);
  });

  it('refuses a directory of over 64 MB', async (t) => {
    const zip = buildZip([{ name: 'a', data: Buffer.alloc(70_000_000) }], { directoryOffset: 0 });
    await assert.rejects(read(t, zip), /over 64 MB/);
  });

  it('distinguishes a missing blob from an invalid zip', async (t) => {
    const zip = await storeZip(Buffer.alloc(1));
    t.after(zip.remove);
    await assert.rejects(readZipDirectory(zip.store, 'files/none.zip', 100, 1000), BlobMissingError);
  });
});
