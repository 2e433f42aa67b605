// Patch packs and differences of manifests from a hostile server or proxy. Nothing signs them, so whatever they are, the
// update ends with the signed version, or is refused and the old one stays. The memory that they take is bounded.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ByteReader, ByteWriter, compress, decompress } from '@chauffeur/deltas/bytes';
import { DeltaError } from '@chauffeur/deltas/error';
import { BLOCK_HASH_BYTES, type FileEntry, MANIFEST_LIMITS, type Manifest } from '@chauffeur/deltas/manifest';
import { encodeDifference, ID_BYTES } from '@chauffeur/deltas/manifest-difference';
import { decodeDifference } from '@chauffeur/deltas/manifest-difference-reader';
import {
  PACK_HEAD_BYTES,
  type PackIndex,
  readPackIndex,
  type SegmentLengths,
  SegmentWriter,
  writePackIndex,
} from '@chauffeur/deltas/pack-format';
import { install, type Progress, update } from '../src/updater.ts';
import { expected, makeFolder, noise, read } from './setup/folders.ts';
import { Origin, type Release, type Tree } from './setup/origin.ts';

const RUN = fileURLToPath(new URL('./setup/run.ts', import.meta.url));
const QUICK = { retries: { failures: 2, pace: 0.001 } } as const;
const MIB = 1024 * 1024;
/** Of a difference, before the length of its body. */
const HEAD_BYTES = 6 + 2 * ID_BYTES;
const MAX_PEAK_KB = 200 * 1024;

const A: Tree = { 'bin/game': 'first', 'data/a.pak': noise(3000, 1), 'docs/readme.txt': 'Read me. '.repeat(50) };
const B: Tree = { 'bin/game': 'second', 'data/a.pak': noise(3100, 1), 'docs/readme.txt': 'Read me! '.repeat(50) };

let origin: Origin;
let sizesOf: Origin['sizesOf'];
before(async () => {
  origin = await new Origin().start();
  sizesOf = origin.sizesOf.bind(origin);
});
after(() => origin.stop());
beforeEach(() => {
  origin.hook = () => false;
  origin.falsify = (bytes) => bytes;
  origin.patches = true;
  // Every pack is worth a try, as far as the server says.
  origin.sizesOf = (...args) => ({ ...sizesOf(...args), blocks: 1e9, whole: 1e9 });
});

type Pair = { readonly folder: string; readonly old: Release; readonly next: Release };

/** Installs the first version, and offers the second. */
async function prepare(t: TestContext, first = A, second = B): Promise<Pair> {
  const folder = join(makeFolder(t), 'game');
  const old = origin.release(first);
  await install({ ...QUICK, folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
  return { folder, old, next: origin.release(second) };
}

function assertInstalled(folder: string, { tree }: Release, name: string): void {
  assert.deepEqual(read(folder), expected(tree), name);
  assert.deepEqual(readdirSync(join(folder, '..')), ['game'], name);
  const state = readdirSync(join(folder, '.chauffeur')).sort();
  assert.deepEqual(state, ['files.json', 'install.json', 'manifest'], name);
}

type Kind = 'patches' | 'manifest-differences';
type Lie = { readonly name: string; readonly change: (bytes: Buffer) => Buffer };

/** Updates from each version to the other, with one falsified pack or difference after the other. */
async function assertAllUpdate({ folder, old, next }: Pair, kind: Kind, falsified: Iterable<Lie>): Promise<void> {
  origin.offered = next;
  for (const { name, change } of falsified) {
    const offered: Release = origin.offered;
    origin.falsify = (bytes, asked) => (asked === kind ? change(bytes) : null);
    await update({ ...QUICK, folder }).catch((error: unknown) => {
      throw new Error(`With ${name}, the update fails.`, { cause: error });
    });
    assertInstalled(folder, offered, name);
    origin.offered = offered === next ? old : next;
  }
}

/** A difference whose body is another one. */
function withBody(difference: Buffer, body: Buffer, length = body.length): Buffer {
  const writer = new ByteWriter();
  writer.bytes(difference.subarray(0, HEAD_BYTES));
  writer.varint(length);
  writer.bytes(compress(body, 1));
  return writer.finish();
}

/** The pack with another index. */
function withIndex(pack: Buffer, change: (index: PackIndex) => { difference?: Buffer; segments?: SegmentLengths[] }) {
  const end = PACK_HEAD_BYTES + pack.readUInt32LE(PACK_HEAD_BYTES - 4);
  const index = readPackIndex(pack.subarray(PACK_HEAD_BYTES, end));
  const { difference = index.difference, segments = index.segments } = change(index);
  return Buffer.concat([writePackIndex(difference, segments), pack.subarray(end)]);
}

test('a pack that is cut anywhere, or has a wrong byte, is given up', async (t) => {
  const pair = await prepare(t);
  const { length } = origin.pairOf('patches', pair.old, pair.next);
  const places = Array.from({ length }, (_, place) => place);
  const cut = places.map((at) => ({ name: `${at} bytes`, change: (bytes: Buffer) => bytes.subarray(0, at) }));
  const flipped = places
    .filter((at) => at % 3 === 0)
    .map((at) => ({ name: `another byte ${at}`, change: (bytes: Buffer) => flip(bytes, at) }));
  await assertAllUpdate(pair, 'patches', [...cut, ...flipped]);
});

test('a difference that is cut anywhere, or has a wrong byte, is given up', async (t) => {
  const pair = await prepare(t);
  const { length } = origin.pairOf('manifest-differences', pair.old, pair.next);
  const places = Array.from({ length }, (_, place) => place);
  const cut = places.map((at) => ({ name: `${at} bytes`, change: (bytes: Buffer) => bytes.subarray(0, at) }));
  const flipped = places
    .filter((at) => at % 3 === 0)
    .map((at) => ({ name: `another byte ${at}`, change: (bytes: Buffer) => flip(bytes, at) }));
  await assertAllUpdate(pair, 'manifest-differences', [...cut, ...flipped]);
});

function flip(bytes: Buffer, at: number): Buffer {
  if (at < bytes.length) bytes[at]! ^= 0xff;
  return bytes;
}

test('whatever a difference says, reading it ends with a draft or a DeltaError', async (t) => {
  const { old, next } = await prepare(t);
  for (const hashes of ['included', 'omitted'] as const) {
    const difference = encodeDifference(old.manifest, next.manifest, hashes);
    const body = bodyOf(difference);
    const values = [0, 1, 2, 3, 4, 5, 8, 0x2f, 0x5c, 0x7f, 0x80, 0xff];
    for (let at = 0; at < body.length; at += 1)
      for (const value of values) {
        // A number that is as large as any, or one other byte.
        const large = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        const instead = value === 0xff ? large : Buffer.from([value]);
        const lie = Buffer.concat([body.subarray(0, at), instead, body.subarray(at + 1)]);
        try {
          decodeDifference(old.manifest, withBody(difference, lie));
        } catch (error) {
          assert.ok(error instanceof DeltaError, `${hashes}, ${value} at ${at}: ${(error as Error).stack}`);
        }
      }
  }
});

function bodyOf(difference: Buffer): Buffer {
  const reader = new ByteReader(difference);
  reader.bytes(HEAD_BYTES);
  const length = reader.varint();
  return decompress(reader.bytes(reader.left), length);
}

test('a pack of another size than the server says is given up', async (t) => {
  const { folder, old, next } = await prepare(t);
  const { length } = origin.pairOf('patches', old, next);
  for (const patch of [1, PACK_HEAD_BYTES, length - 1, length + 1, next.zip.length - 1]) {
    const offered: Release = origin.offered!;
    origin.sizesOf = (...args) => ({ ...sizesOf(...args), blocks: 1e9, patch });
    await update({ ...QUICK, folder });
    assertInstalled(folder, offered, `${patch} bytes`);
    origin.offered = offered === next ? old : next;
  }
});

test('packs and differences for other versions are given up', async (t) => {
  const pair = await prepare(t);
  const others = [origin.release({ 'bin/game': 'x' }), origin.release({ 'data/a.pak': noise(4000, 3) })] as const;
  for (const kind of ['patches', 'manifest-differences'] as const) {
    const falsified = [[...others], [pair.old, others[0]], [others[0], pair.next], [pair.next, pair.next]].map(
      ([from, to]) => ({
        name: `${kind} from ${from!.version} to ${to!.version}`,
        change: () => origin.pairOf(kind, from!, to!),
      }),
    );
    await assertAllUpdate(pair, kind, [...falsified, ...falsified]);
  }
});

test('paths outside of the folder, or that are one on Windows and macOS, are never made', async (t) => {
  for (const path of [
    '../out.txt',
    '/tmp/out.txt',
    'a/../../out.txt',
    'C:/out.txt',
    'BIN/GAME',
    'bin\\x',
    'con',
    '.chauffeur/x',
  ])
    for (const kind of ['patches', 'manifest-differences'] as const) {
      const pair = await prepare(t);
      const { manifest } = pair.next;
      const stranger = { ...(manifest.entries[1] as FileEntry), path };
      const hostile = { ...manifest, entries: [...manifest.entries, { ...stranger, size: 0, blocks: 0, packed: 0 }] };
      const change = (bytes: Buffer) =>
        kind === 'patches'
          ? withIndex(bytes, () => ({ difference: encodeDifference(pair.old.manifest, hostile, 'omitted') }))
          : encodeDifference(pair.old.manifest, hostile, 'included');
      await assertAllUpdate(pair, kind, [{ name: `${kind} with ${path}`, change }]);
    }
});

test('a difference that is right in itself, but not what the key signed, is given up', async (t) => {
  const pair = await prepare(t);
  const evil = origin.release({ ...B, 'bin/game': 'evil' });
  const lied: Manifest = { ...evil.manifest, origin: pair.next.manifest.origin, zip: pair.next.manifest.zip };
  const change = () => encodeDifference(pair.old.manifest, lied, 'included');
  await assertAllUpdate(pair, 'manifest-differences', [{ name: 'another list of files', change }]);
});

test('a pack that changes between two attempts, and between two of its parts, is given up', async (t) => {
  const pair = await prepare(t);
  let asked = 0;
  const change = (bytes: Buffer) => {
    asked += 1;
    return flip(bytes, bytes.length - 1 - (asked % 20));
  };
  await assertAllUpdate(
    pair,
    'patches',
    Array.from({ length: 20 }, (_, turn) => ({ name: `turn ${turn}`, change })),
  );
});

/** Begins the body of a difference: of another zip, with all texts of the old manifest. */
function startBody(): ByteWriter {
  const writer = new ByteWriter();
  writer.varint(1);
  writer.varint(1);
  writer.bytes(Buffer.alloc(32));
  for (let text = 0; text < 6; text += 1) writer.varint(1);
  return writer;
}

/** Adds one new file, `a`, stored. Its blocks follow. */
function addFile(writer: ByteWriter, { size, blocks }: { size: number; blocks: number }): void {
  for (const value of [1, 3, 0]) writer.varint(value);
  writer.text('a');
  for (const value of [0, 0o644]) writer.varint(value);
  writer.signed(0);
  writer.varint(0);
  writer.signed(size);
  writer.varint(blocks);
}

test('bombs take little memory', async (t) => {
  const zeros = compress(Buffer.alloc(256 * MIB), 1);
  const stream = compress(Buffer.alloc(32 * MIB), 1);
  const bombs: Record<string, (pack: Buffer, pair: Pair) => Buffer> = {
    'a difference of 256 MiB': (pack) =>
      withIndex(pack, ({ difference }) => {
        const writer = new ByteWriter();
        writer.bytes(difference.subarray(0, HEAD_BYTES));
        writer.varint(256 * MIB);
        writer.bytes(zeros);
        return { difference: writer.finish() };
      }),
    'a difference that is longer than it says': (pack) =>
      withIndex(pack, ({ difference }) => {
        const writer = new ByteWriter();
        writer.bytes(difference.subarray(0, HEAD_BYTES));
        writer.varint(10);
        writer.bytes(zeros);
        return { difference: writer.finish() };
      }),
    'streams of 32 MiB': (pack) => {
      const lengths = { unpacked: 32 * MIB, packed: stream.length };
      const streams = { operations: lengths, distances: lengths, added: lengths, literals: lengths };
      const end = PACK_HEAD_BYTES + pack.readUInt32LE(PACK_HEAD_BYTES - 4);
      const { difference } = readPackIndex(pack.subarray(PACK_HEAD_BYTES, end));
      return Buffer.concat([writePackIndex(difference, [{ newBytes: 1, streams }]), stream, stream, stream, stream]);
    },
    'a stream of 32 MiB': (pack) => {
      const none = { unpacked: 0, packed: 0 };
      const literals = { unpacked: 32 * MIB, packed: stream.length };
      const streams = { operations: none, distances: none, added: none, literals };
      const end = PACK_HEAD_BYTES + pack.readUInt32LE(PACK_HEAD_BYTES - 4);
      const { difference } = readPackIndex(pack.subarray(PACK_HEAD_BYTES, end));
      return Buffer.concat([writePackIndex(difference, [{ newBytes: 1, streams }]), stream]);
    },
    'millions of new blocks': (pack) =>
      withIndex(pack, ({ difference }) => {
        const writer = startBody();
        addFile(writer, { size: 4_000_000, blocks: 4_000_000 });
        writer.varint(2 * (4_000_000 - 1));
        writer.bytes(Buffer.alloc(4_000_000, 1));
        return { difference: withBody(difference, writer.finish()) };
      }),
    'the same blocks again and again': (pack, { old }) =>
      withIndex(pack, ({ difference }) => {
        const file = old.manifest.entries.findIndex(({ path }) => path === 'data/filler.pak');
        const { firstBlock, blocks, size } = old.manifest.entries[file] as FileEntry;
        const times = Math.floor(4_000_000 / blocks);
        const writer = startBody();
        addFile(writer, { size: times * size, blocks: times * blocks });
        for (let turn = 0; turn < times; turn += 1) {
          writer.varint(2 * (blocks - 1) + 1);
          writer.signed(turn === 0 ? firstBlock : -blocks);
        }
        return { difference: withBody(difference, writer.finish()) };
      }),
    'very many entries': (pack) =>
      withIndex(pack, ({ difference }) => {
        const writer = startBody();
        writer.varint(1);
        writer.varint(3 + 4 * (200_000 - 1));
        return { difference: withBody(difference, writer.finish()) };
      }),
  };
  const filler = { 'data/filler.pak': noise(400_000, 9) };
  for (const [name, make] of Object.entries(bombs)) {
    const pair = await prepare(t, { ...A, ...filler }, { ...B, ...filler });
    const bomb = make(origin.pairOf('patches', pair.old, pair.next), pair);
    assert.ok(bomb.length < pair.next.zip.length, `${name}: ${bomb.length} bytes`);
    origin.asked = [];
    origin.falsify = (_, kind) => (kind === 'patches' ? bomb : null);
    const peak = await updateInChild(pair.folder);
    t.diagnostic(`${name}: ${Math.round(peak / 1024)} MiB`);
    assert.ok(origin.asked.includes('patches'), name);
    assertInstalled(pair.folder, pair.next, name);
    assert.ok(peak < MAX_PEAK_KB, `${name}: ${peak} KiB`);
  }
});

/** Returns how much memory the update took at most, in KiB. */
async function updateInChild(folder: string): Promise<number> {
  // Not `maxRSS`, which begins with that of this process on Linux.
  const peak =
    'Number(/^VmHWM:\\s+(\\d+)/m.exec(process.getBuiltinModule("node:fs").readFileSync("/proc/self/status", "utf8"))[1])';
  const report = `process.on("exit", () => console.log("peak", ${peak}))`;
  const args = [
    '--max-old-space-size=96',
    '--import',
    `data:text/javascript,${encodeURIComponent(report)}`,
    RUN,
    'update',
    folder,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.equal(code, 0, output);
  return Number(/peak (\d+)/.exec(output)?.[1]);
}

test('a small pack that copies a lot isn’t applied', async (t) => {
  const pair = await prepare(t);
  const forged = withLastFile(pair.next.manifest, 160 * MIB);
  const difference = encodeDifference(pair.old.manifest, forged, 'omitted');
  const sizes = [...decodeDifference(pair.old.manifest, difference).missing].map(
    (entry) => (forged.entries[entry] as FileEntry).size,
  );
  const oldBytes = sizesOfFiles(pair.old.manifest).reduce((sum, size) => sum + size, 0);
  const writer = new SegmentWriter();
  let [made, expected] = [0, 0];
  const add = (kind: 'literal' | 'copy', length: number) => {
    expected = writer.add({ kind, length, address: oldBytes + made - length }, Buffer.alloc(length), expected);
    made += length;
  };
  for (const size of sizes.slice(0, -1)) add('literal', size);
  const last = sizes.at(-1)!;
  add('literal', 1024);
  // Each operation repeats what the file has so far.
  for (let done = 1024; done < last; done *= 2) add('copy', Math.min(done, last - done));
  const { bytes, ...segment } = writer.finish();
  const pack = Buffer.concat([writePackIndex(difference, [segment]), bytes]);
  assert.ok(pack.length < 10_000);
  origin.falsify = (_, kind) => (kind === 'patches' ? pack : null);
  origin.offered = pair.next;
  let planned = 0;
  const onProgress = ({ phase, total }: Progress) => {
    if (phase === 'building') planned = Math.max(planned, total);
  };
  await update({ ...QUICK, folder: pair.folder, onProgress });
  assertInstalled(pair.folder, pair.next, 'a pack that copies a lot');
  assert.ok(planned < 100_000, `${planned} bytes were to be built`);
});

function sizesOfFiles({ entries }: Manifest): number[] {
  return entries.map((entry) => (entry.type === 'file' ? entry.size : 0));
}

/** The manifest with another size of its last entry, which is one deflate stream. */
function withLastFile(manifest: Manifest, size: number): Manifest {
  const last = manifest.entries.at(-1) as FileEntry;
  const count = size / MANIFEST_LIMITS.blockBytes;
  const { hashes, lengths, packed } = manifest.blocks;
  return {
    ...manifest,
    entries: [...manifest.entries.slice(0, -1), { ...last, size, sha256: noise(32, 9), blocks: count }],
    blocks: {
      count: last.firstBlock + count,
      hashes: Buffer.concat([
        hashes.subarray(0, last.firstBlock * BLOCK_HASH_BYTES),
        noise(count * BLOCK_HASH_BYTES, 8),
      ]),
      lengths: Uint32Array.from([
        ...lengths.subarray(0, last.firstBlock),
        ...Array.from({ length: count }, () => MANIFEST_LIMITS.blockBytes),
      ]),
      packed: Uint32Array.from([...packed.subarray(0, last.firstBlock), ...new Uint32Array(count)]),
    },
  };
}
