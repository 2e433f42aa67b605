// Small trees of files in memory, their zips, and changed versions of them.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { ReadContent } from '../src/address-space.ts';
import { packBlockSync, STREAM_END } from '../src/blocks.ts';
import { cut, type Sizes } from '../src/cutter.ts';
import { BLOCK_HASH_BYTES, type Entry, type FileEntry, type Manifest, type Method } from '../src/manifest.ts';
import { DEFLATED, type KnownEntry, layOut, localHeader, STORED } from '../src/zip-layout.ts';

type TestFile = { readonly content: Buffer; readonly mode?: number; readonly method?: Method };
/** A path that ends in `/` is a folder, and a string is the target of a link. */
export type TestTree = Readonly<Record<string, TestFile | string | null>>;

const TEST_SIZES: Sizes = {
  stored: { uncut: 64, min: 64, average: 128, max: 512 },
  packed: { uncut: 300, min: 100, average: 200, max: 800 },
};

export type TestZip = { readonly zip: Buffer; readonly manifest: Manifest };

/** Zips a tree as the command does, with small blocks. */
export function zipTree(tree: TestTree, origin: Partial<Manifest['origin']> = {}): TestZip {
  const paths = Object.keys(tree).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const packed = paths.map((path) => packEntry(path, tree[path]!));
  const { records, dataOffsets, directory } = layOut(packed.map(({ known }) => known));
  const pieces = packed.flatMap(({ data }, index) => [localHeader(records[index]!), ...data]);
  const zip = Buffer.concat([...pieces, directory]);
  let firstBlock = 0;
  const entries = packed.map(({ entry, lengths }, index): Entry => {
    if (entry.type !== 'file') return entry;
    firstBlock += lengths.length;
    const place = { offset: dataOffsets[index]!, firstBlock: firstBlock - lengths.length, blocks: lengths.length };
    return { ...entry, ...place };
  });
  const blocks = packed.flatMap(({ blocks }) => blocks);
  const manifest = {
    origin: { game: 'owls', build: 'b', file: 'f', version: '1.0', os: 'linux', arch: 'x86_64', ...origin },
    sizes: TEST_SIZES,
    zip: { size: zip.length, sha256: hash('sha256', zip, 'buffer') },
    entries,
    blocks: {
      count: blocks.length,
      hashes: Buffer.concat(blocks.map(({ raw }) => hash('sha256', raw, 'buffer').subarray(0, BLOCK_HASH_BYTES))),
      lengths: Uint32Array.from(blocks, ({ raw }) => raw.length),
      packed: Uint32Array.from(blocks, ({ packedLength }) => packedLength),
    },
  };
  return { zip, manifest };
}

function packEntry(path: string, value: TestFile | string | null) {
  const base = { crc: 0, packed: 0, size: 0, method: STORED } as const;
  const none = { blocks: [], lengths: [] };
  if (value === null) {
    const known: KnownEntry = { ...base, name: Buffer.from(path), mode: 0o040755 };
    return { known, data: [], entry: { path: path.slice(0, -1), type: 'folder', mode: 0o755 } as Entry, ...none };
  }
  if (typeof value === 'string') {
    const target = Buffer.from(value);
    const known: KnownEntry = {
      ...base,
      name: Buffer.from(path),
      crc: crc32(target),
      packed: target.length,
      size: target.length,
      mode: 0o120777,
    };
    return { known, data: [target], entry: { path, type: 'link', target: value } as Entry, ...none };
  }
  return packFile(path, value);
}

function packFile(path: string, { content, mode = 0o644, method = 'blocks' }: TestFile) {
  const own = content.length === 0 ? 'stored' : method;
  const lengths = cut(content, own === 'stored' ? TEST_SIZES.stored : TEST_SIZES.packed);
  let at = 0;
  const blocks = lengths.map((length) => {
    const raw = content.subarray(at, at + length);
    at += length;
    const packed = own === 'stored' ? raw : packBlockSync(raw, 6);
    return { raw, packed, packedLength: own === 'whole' ? 0 : packed.length };
  });
  const data = [...blocks.map(({ packed }) => packed), ...(own === 'stored' ? [] : [STREAM_END])];
  const packed = data.reduce((sum, piece) => sum + piece.length, 0);
  const known: KnownEntry = {
    name: Buffer.from(path),
    method: own === 'stored' ? STORED : DEFLATED,
    crc: crc32(content),
    packed,
    size: content.length,
    mode: 0o100000 | mode,
  };
  const sha256 = hash('sha256', content, 'buffer');
  const entry: FileEntry = {
    ...{ path, type: 'file', mode, size: content.length, sha256, method: own, offset: 0, packed },
    ...{ firstBlock: 0, blocks: lengths.length },
  };
  return { known, data, entry: entry as Entry, blocks, lengths };
}

/** Reads the content of a tree's files. */
export function readerOf(tree: TestTree, { entries }: Manifest): ReadContent {
  return (entry, offset, length) => {
    const file = tree[entries[entry]!.path];
    if (file === null || typeof file !== 'object') throw new Error('Not a file.');
    return file.content.subarray(offset, offset + length);
  };
}

const METHODS: readonly Method[] = ['stored', 'blocks', 'whole'];
const NAMES = ['a', 'b', 'game.exe', 'data/1.pak', 'data/2.pak', 'data/deep/x', 'ü', 'z'];

/** Content of several kinds: random, with repetitions, and empty. */
const anyContent = fc.oneof(
  fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6000 })).map(([seed, length]) => noise(seed, length)),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6000 })).map(([seed, length]) => words(seed, length)),
);

/** A tree and the next version of it, in which files are edited, moved, copied, added and removed. */
export const anyPair: fc.Arbitrary<readonly [TestTree, TestTree]> = fc
  .dictionary(
    fc.constantFrom(...NAMES),
    fc.tuple(anyContent, fc.constantFrom(...METHODS), fc.constantFrom(0o644, 0o755)),
  )
  .chain((files) => {
    const old = Object.fromEntries(
      Object.entries(files).map(([path, [content, method, mode]]) => [path, { content, method, mode }]),
    );
    return fc.tuple(fc.constant(old), anyNext(old));
  });

function anyNext(old: Readonly<Record<string, TestFile>>): fc.Arbitrary<TestTree> {
  const sources = Object.values(old);
  const anyOld = sources.length === 0 ? anyContent : fc.constantFrom(...sources.map(({ content }) => content));
  const anyEdited = fc.tuple(
    anyOld,
    fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.uint8Array({ maxLength: 40 })), { maxLength: 4 }),
  );
  const anyJoined = fc.tuple(anyOld, anyOld, fc.nat()).map(([a, b, at]) => {
    const place = at % (a.length + 1);
    return Buffer.concat([a.subarray(place), b, a.subarray(0, place)]);
  });
  const anyFile = fc.tuple(
    fc.oneof(
      anyOld,
      anyEdited.map(([content, edits]) => edits.reduce(edit, content)),
      anyJoined,
      anyContent,
    ),
    fc.constantFrom(...METHODS),
  );
  const anyFiles = fc
    .dictionary(fc.constantFrom(...NAMES), anyFile)
    .map((files) =>
      Object.fromEntries(Object.entries(files).map(([path, [content, method]]) => [path, { content, method }])),
    );
  const others = fc.constantFrom<TestTree>(
    {},
    { 'empty/': null },
    { link: 'a' },
    { 'empty/': null, 'empty2/': null, link: 'data/x' },
  );
  // Most files stay as they are.
  return fc.tuple(anyFiles, fc.array(fc.constantFrom(...NAMES)), others).map(([files, kept, more]) => ({
    ...Object.fromEntries(kept.flatMap((path) => (old[path] ? [[path, old[path]]] : []))),
    ...files,
    ...more,
  }));
}

function edit(content: Buffer, [place, removed, added]: [number, number, Uint8Array]): Buffer {
  const at = place % (content.length + 1);
  return Buffer.concat([content.subarray(0, at), added, content.subarray(at + removed)]);
}

/** Bytes without repetitions, the same for each seed. */
export function noise(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed | 1;
  for (let at = 0; at < length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 + at;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Text with few different words. */
export function words(seed: number, length: number): Buffer {
  const list = ['velocity', 'position', 'owl', 'tree = ', '\n', '{', '}', 'return '];
  const picks = noise(seed, length);
  return Buffer.from(Array.from(picks, (pick) => list[pick % list.length]).join('')).subarray(0, length);
}
