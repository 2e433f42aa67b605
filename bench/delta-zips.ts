// Zips a folder in blocks, with its manifest, and applies plans and packs to folders.
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { packBlock, STREAM_END } from '@chauffeur/deltas/blocks';
import { cut, DEFAULT_SIZES, type Sizes } from '@chauffeur/deltas/cutter';
import { BLOCK_HASH_BYTES, type Entry, type Manifest, type Method } from '@chauffeur/deltas/manifest';
import { DEFLATED, type KnownEntry, layOut, localHeader, STORED } from '@chauffeur/deltas/zip-layout';

type Listed = { path: string; type: 'file' | 'folder' | 'link'; mode: number; size: number };

/** Files, folders and links of a folder in the order of their bytes. */
function listFolder(folder: string, path = ''): Listed[] {
  return readdirSync(join(folder, path))
    .map((name) => {
      const own = path === '' ? name : `${path}/${name}`;
      const stat = lstatSync(join(folder, own));
      const type = stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file';
      return { path: own, type, mode: stat.mode & 0o777, size: type === 'file' ? stat.size : 0 } as const;
    })
    .flatMap((entry) => (entry.type === 'folder' ? [entry, ...listFolder(folder, entry.path)] : [entry]))
    .sort((a, b) => Buffer.compare(nameOf(a), nameOf(b)));
}

function nameOf({ path, type }: Pick<Listed, 'path' | 'type'>): Buffer {
  return Buffer.from(type === 'folder' ? `${path}/` : path);
}

/** Whether a sample of a file gets smaller; chosen like the command's. */
function shrinks(raw: Buffer, slices: number): boolean {
  if (raw.length <= slices * 4096) return true;
  const stride = Math.floor((raw.length - 4096) / (slices - 1));
  const sample = Buffer.concat(Array.from({ length: slices }, (_, i) => raw.subarray(i * stride, i * stride + 4096)));
  return deflateRawSync(sample, { level: 1 }).length < 0.97 * sample.length;
}

export type Zipped = { manifest: Manifest; seconds: number };

/** Writes `folder` as a zip to `target`. */
export async function zipInBlocks(
  folder: string,
  target: string,
  { sizes = DEFAULT_SIZES, level = 7, origin = '' }: { sizes?: Sizes; level?: number; origin?: string } = {},
): Promise<Zipped> {
  const start = performance.now();
  const file = openSync(target, 'w');
  const zipHash = createHash('sha256');
  let position = 0;
  const write = (bytes: Uint8Array) => {
    zipHash.update(bytes);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    position += bytes.length;
  };
  const known: KnownEntry[] = [];
  const entries: Entry[] = [];
  const [hashes, lengths, packedLengths]: [Buffer[], number[], number[]] = [[], [], []];
  for (const { path, type, mode } of listFolder(folder)) {
    const name = nameOf({ path, type });
    const target = type === 'link' ? readlinkSync(join(folder, path)) : '';
    const raw = type === 'file' ? readFileSync(join(folder, path)) : Buffer.from(target);
    const isStored = type !== 'file' || raw.length === 0 || !shrinks(raw, raw.length > 2 ** 20 ? 64 : 8);
    const blocks = type === 'file' ? split(raw, cut(raw, isStored ? sizes.stored : sizes.packed)) : [];
    let packed = isStored ? blocks : await packAll(blocks, level);
    let method: Method = isStored ? 'stored' : 'blocks';
    if (blocks.length === 1 && packed[0]!.length + 2 >= raw.length) [packed, method] = [blocks, 'stored'];
    const data = type === 'file' ? [...packed, ...(method === 'blocks' ? [STREAM_END] : [])] : [raw];
    const entry: KnownEntry = {
      name,
      method: method === 'blocks' ? DEFLATED : STORED,
      crc: crc32(raw),
      packed: data.reduce((sum, piece) => sum + piece.length, 0),
      size: raw.length,
      mode: (type === 'link' ? 0o120000 : type === 'folder' ? 0o040000 : 0o100000) | mode,
    };
    known.push(entry);
    const { records } = layOut([entry]);
    write(localHeader(records[0]!));
    if (type === 'file') {
      const sha256 = createHash('sha256').update(raw).digest();
      const place = { offset: position, packed: entry.packed, firstBlock: lengths.length, blocks: blocks.length };
      entries.push({ path, type, mode, size: raw.length, sha256, method, ...place });
      for (const [index, block] of blocks.entries()) {
        hashes.push(createHash('sha256').update(block).digest().subarray(0, BLOCK_HASH_BYTES));
        lengths.push(block.length);
        packedLengths.push(packed[index]!.length);
      }
    } else entries.push(type === 'link' ? { path, type, target } : { path, type, mode });
    for (const piece of data) write(piece);
  }
  write(layOut(known).directory);
  closeSync(file);
  const manifest: Manifest = {
    origin: { game: 'game', build: origin, file: origin, version: origin, os: 'linux', arch: 'x86_64' },
    sizes,
    zip: { size: position, sha256: zipHash.digest() },
    entries,
    blocks: {
      count: lengths.length,
      hashes: Buffer.concat(hashes),
      lengths: Uint32Array.from(lengths),
      packed: Uint32Array.from(packedLengths),
    },
  };
  return { manifest, seconds: (performance.now() - start) / 1000 };
}

function split(raw: Buffer, lengths: readonly number[]): Buffer[] {
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return raw.subarray(end - length, end);
  });
}

async function packAll(blocks: readonly Buffer[], level: number): Promise<Buffer[]> {
  const packed: Buffer[] = [];
  for (let at = 0; at < blocks.length; at += 4)
    packed.push(
      ...(await Promise.all(blocks.slice(at, at + 4).map((block) => packBlock(block, shrinks(block, 8) ? level : 0)))),
    );
  return packed;
}
