// A small server of one game, which signs what it offers. It can be made to lie in ways that the real one never does.
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateRawSync } from 'node:zlib';
import { packBlockSync, STREAM_END } from '@chauffeur/deltas/blocks';
import { cut, DEFAULT_SIZES, type Sizes } from '@chauffeur/deltas/cutter';
import { makePack, planPack } from '@chauffeur/deltas/make-pack';
import {
  BLOCK_HASH_BYTES,
  type Entry,
  encodeManifest,
  type Manifest,
  type Method,
  packManifest,
} from '@chauffeur/deltas/manifest';
import { encodeDifference } from '@chauffeur/deltas/manifest-difference';
import { planUpdate } from '@chauffeur/deltas/plan';
import { DEFLATED, type KnownEntry, layOut, localHeader, STORED } from '@chauffeur/deltas/zip-layout';

/** A file by its content, a link as `-> target`, a folder as null. Names of programs begin with `bin/`. */
export type Tree = Readonly<Record<string, Buffer | string | null>>;

export type Release = {
  readonly version: string;
  readonly buildId: string;
  readonly fileUid: string;
  readonly tree: Tree;
  zip: Buffer;
  manifest: Manifest;
  /** Null if the server has none. */
  packed: Buffer | null;
};

const SMALL: Sizes = {
  stored: { uncut: 0, min: 1024, average: 2048, max: 8192 },
  packed: { uncut: 0, min: 2048, average: 4096, max: 16_384 },
};

function methodOf(path: string): Method {
  if (path.endsWith('.pak')) return 'stored';
  return path.endsWith('.txt') ? 'whole' : 'blocks';
}

/** Zips a tree: `.pak` stored, `.txt` as other programs do, and the others in blocks. */
export function zipOf(tree: Tree, sizes: Sizes): { zip: Buffer; entries: Entry[]; blocks: Manifest['blocks'] } {
  const [known, bodies, entries]: [KnownEntry[], Buffer[], Entry[]] = [[], [], []];
  const [hashes, lengths, packedLengths]: [Buffer[], number[], number[]] = [[], [], []];
  for (const [path, content] of Object.entries(tree)) {
    const isLink = typeof content === 'string' && content.startsWith('-> ');
    const mode = path.startsWith('bin/') ? 0o755 : 0o644;
    if (content === null || isLink) {
      const body = Buffer.from(isLink ? content.slice(3) : '');
      const name = Buffer.from(isLink ? path : `${path}/`);
      const unixMode = isLink ? 0o120777 : 0o040755;
      known.push({ name, method: STORED, crc: crc32(body), packed: body.length, size: body.length, mode: unixMode });
      bodies.push(body);
      entries.push(isLink ? { path, type: 'link', target: content.slice(3) } : { path, type: 'folder', mode: 0o755 });
      continue;
    }
    const raw = Buffer.from(content as Buffer);
    const method = methodOf(path);
    const firstBlock = lengths.length;
    const packed: Buffer[] = [];
    let at = 0;
    for (const length of cut(raw, method === 'stored' ? sizes.stored : sizes.packed)) {
      const block = raw.subarray(at, at + length);
      at += length;
      hashes.push(createHash('sha256').update(block).digest().subarray(0, BLOCK_HASH_BYTES));
      lengths.push(length);
      if (method === 'blocks') packed.push(packBlockSync(block, 6));
      packedLengths.push(method === 'whole' ? 0 : (packed.at(-1)?.length ?? length));
    }
    const body =
      method === 'stored' ? raw : method === 'blocks' ? Buffer.concat([...packed, STREAM_END]) : deflateRawSync(raw);
    const zipMethod = method === 'stored' ? STORED : DEFLATED;
    known.push({
      ...{ name: Buffer.from(path), method: zipMethod, crc: crc32(raw), packed: body.length },
      ...{ size: raw.length, mode: 0o100000 | mode },
    });
    bodies.push(body);
    const sha256 = createHash('sha256').update(raw).digest();
    const blocks = lengths.length - firstBlock;
    entries.push({
      path,
      type: 'file',
      mode,
      size: raw.length,
      sha256,
      method,
      offset: 0,
      packed: body.length,
      firstBlock,
      blocks,
    });
  }
  const layout = layOut(known);
  const placed = entries.map((entry, index) =>
    entry.type === 'file' ? { ...entry, offset: layout.dataOffsets[index]! } : entry,
  );
  const zip = Buffer.concat([
    ...layout.records.flatMap((record, index) => [localHeader(record), bodies[index]!]),
    layout.directory,
  ]);
  const table = {
    count: lengths.length,
    hashes: Buffer.concat(hashes, hashes.length * BLOCK_HASH_BYTES),
    lengths: Uint32Array.from(lengths),
    packed: Uint32Array.from(packedLengths),
  };
  return { zip, entries: placed, blocks: table };
}

type Key = { readonly keyId: string; readonly publicKey: Buffer; readonly privateKey: KeyObject };

export function makeKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return { keyId: createHash('sha256').update(bytes).digest('hex').slice(0, 16), publicKey: bytes, privateKey };
}

/** Answers a request, or returns false to let the server answer as usual. */
export type Hook = (request: IncomingMessage, response: ServerResponse, origin: Origin) => boolean;

export class Origin {
  readonly game = randomUUID();
  url = '';
  /** The newest first. */
  readonly keys: { key: Key; previous: { key_id: string; signature: string } | null }[] = [
    { key: makeKey(), previous: null },
  ];
  readonly releases: Release[] = [];
  /** What the channel offers; the newest release by default. */
  offered: Release | null = null;
  /** Whether it has differences and patch packs from the other releases. */
  patches = false;
  /** What it sends instead of the right pack and difference. */
  falsify: (bytes: Buffer, kind: 'patches' | 'manifest-differences') => Buffer | null = (bytes) => bytes;
  /** Requests for other things than the zip: the last part of their address that has a name. */
  asked: string[] = [];
  hook: Hook = () => false;
  /** The serial of the statement on what is offered; null if the server makes none. */
  serial: number | null = null;
  /** What the statement says instead of what is right. */
  misstated: Record<string, unknown> = {};
  /** Requests for ranges of the zip. */
  ranges: string[] = [];
  sentBytes = 0;
  #server: Server | null = null;
  readonly #pairs = new Map<string, Buffer>();

  async start(): Promise<this> {
    this.#server = createServer((request, response) => this.#answer(request, response)).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }

  get address() {
    return { server: this.url, game: 'night-owls' };
  }

  /** Adds a version, which is offered from now on. */
  release(tree: Tree, { sizes = SMALL, os = 'linux' }: { sizes?: Sizes; os?: string } = {}): Release {
    const version = `1.${this.releases.length}`;
    const { zip, entries, blocks } = zipOf(tree, sizes);
    const [buildId, fileUid] = [randomUUID(), randomUUID()];
    const origin = { game: this.game, build: buildId, file: fileUid, version, os, arch: 'x86_64' };
    const sha256 = createHash('sha256').update(zip).digest();
    const manifest = { origin, sizes: DEFAULT_SIZES, zip: { size: zip.length, sha256 }, entries, blocks };
    const release = { version, buildId, fileUid, tree, zip, manifest, packed: packManifest(encodeManifest(manifest)) };
    this.releases.push(release);
    this.offered = release;
    return release;
  }

  /** Replaces the manifest of a release, signed like any other. */
  lie(release: Release, change: (manifest: Manifest) => Manifest): void {
    release.manifest = change(release.manifest);
    release.packed = packManifest(encodeManifest(release.manifest));
  }

  /** The signed statement of what is offered with `misstated` instead of what is right. */
  stateOffer(offered: Release, serial: number): { statement: string; signature: string } {
    const { os, arch } = offered.manifest.origin;
    const stated = {
      ...{ game: this.game, channel: 'stable', os, arch, build: offered.buildId, file: offered.fileUid },
      ...{ size: offered.zip.length, zip: checksumOf(offered), serial, issued_at: new Date().toISOString() },
      manifest: createHash('sha256').update(encodeManifest(offered.manifest)).digest('hex'),
    };
    const bytes = Buffer.from(JSON.stringify({ ...stated, ...this.misstated }));
    const { key } = this.keys[0]!;
    const signature = `${key.keyId} ${this.#sign('statement', bytes, key)}`;
    return { statement: bytes.toString('base64url'), signature };
  }

  rotate(vouched: boolean): void {
    const previous = this.keys[0]!.key;
    const key = makeKey();
    const signature = this.#sign('signing key', key.publicKey, previous);
    this.keys.unshift({ key, previous: vouched ? { key_id: previous.keyId, signature } : null });
  }

  #sign(purpose: string, message: Uint8Array, { privateKey }: Key): string {
    return sign(null, Buffer.concat([Buffer.from(`chauffeur ${purpose} 1\n`), message]), privateKey).toString(
      'base64url',
    );
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.hook(request, response, this)) return;
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const [, kind] = /\/(download|manifest|updates)$/.exec(pathname) ?? [];
    const file = this.releases.find(({ fileUid }) => pathname.includes(`/files/${fileUid}/`));
    const [, pairKind, from] = /\/(patches|manifest-differences)\/([^/]+)$/.exec(pathname) ?? [];
    const old = this.releases.find(({ fileUid }) => fileUid === from);
    this.asked.push(pairKind ?? kind ?? '');
    const json = this.#jsonFor(pathname, kind, searchParams);
    if (json !== null) sendJson(response, json);
    else if (pairKind !== undefined && old !== undefined && file !== undefined)
      this.#sendPair(request, response, pairKind as 'patches', old, file);
    else if (kind === 'download' && file !== undefined) this.sendZip(request, response, file);
    else if (kind === 'manifest' && file?.packed != null)
      this.sendManifest(response, file.packed, file.manifest, this.keys[0]!, request.headers.range);
    else sendNotFound(response);
  }

  #jsonFor(pathname: string, kind: string | undefined, query: URLSearchParams): object | null {
    if (pathname === '/.well-known/chauffeur-keys.json') return { keys: this.publishedKeys() };
    if (kind === 'updates') return { success: true, data: this.updateOf(query) };
    return /\/games\/[^/]+$/.test(pathname) ? { success: true, data: this.gameOf() } : null;
  }

  publishedKeys(): object[] {
    return this.keys.map(({ key, previous }) => ({
      ...{ key_id: key.keyId, algorithm: 'ed25519', public_key: key.publicKey.toString('base64url') },
      ...{ created_at: new Date().toISOString(), previous },
    }));
  }

  /** The pack or the difference from one release to another, as it is right. */
  pairOf(kind: 'patches' | 'manifest-differences', old: Release, next: Release): Buffer {
    const key = `${kind} ${old.fileUid} ${next.fileUid}`;
    const known = this.#pairs.get(key);
    if (known !== undefined) return Buffer.from(known);
    const made = kind === 'patches' ? packOf(old, next) : encodeDifference(old.manifest, next.manifest, 'included');
    this.#pairs.set(key, made);
    return Buffer.from(made);
  }

  #sendPair(
    request: IncomingMessage,
    response: ServerResponse,
    kind: 'patches' | 'manifest-differences',
    old: Release,
    next: Release,
  ): void {
    const bytes = this.patches ? this.falsify(this.pairOf(kind, old, next), kind) : null;
    if (bytes === null) sendNotFound(response);
    else this.sendBytes(request, response, bytes);
  }

  sendManifest(
    response: ServerResponse,
    packed: Buffer,
    manifest: Manifest,
    { key } = this.keys[0]!,
    range?: string,
  ): void {
    const digest = createHash('sha256').update(encodeManifest(manifest)).digest();
    response.setHeader('x-chauffeur-signature', `${key.keyId} ${this.#sign('manifest', digest, key)}`);
    if (range === undefined) response.end(packed);
    else response.writeHead(206, { 'content-range': `bytes 0-0/${packed.length}` }).end(packed.subarray(0, 1));
  }

  sendZip(request: IncomingMessage, response: ServerResponse, { zip }: Release): void {
    this.ranges.push(request.headers.range ?? '');
    this.sendBytes(request, response, zip);
  }

  /** Sends a file, or the range of it that is asked for. */
  sendBytes(request: IncomingMessage, response: ServerResponse, zip: Buffer): void {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    response.setHeader('etag', `"${hexDigestOf(zip)}"`);
    if (from === undefined || to === undefined) {
      this.sentBytes += zip.length;
      response.writeHead(200, { 'content-length': zip.length }).end(zip);
      return;
    }
    const body = zip.subarray(Number(from), Number(to) + 1);
    this.sentBytes += body.length;
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${zip.length}`;
    response.writeHead(206, { 'content-range': range, 'content-length': body.length }).end(body);
  }

  gameOf(): object {
    const { offered } = this;
    const file = offered && { file_uid: offered.fileUid, size: offered.zip.length, checksum: checksumOf(offered) };
    const download = offered && {
      ...{ channel: 'stable', os: offered.manifest.origin.os, arch: 'x86_64', build_id: offered.buildId },
      ...{ version: offered.version, title: '', changelog_items: [{ title: 'More owls', description: '' }], file },
    };
    return {
      ...{ game_uid: this.game, slug: 'night-owls', name: 'Night Owls' },
      downloads: download === null ? [] : [download],
    };
  }

  sizesOf(query: URLSearchParams, offered: Release) {
    const from = this.releases.find(({ buildId }) => buildId === query.get('build_id'));
    const whole = offered.zip.length;
    if (!this.patches || from === undefined) return { patch: null, blocks: null, whole };
    const patch = this.falsify(this.pairOf('patches', from, offered), 'patches')?.length ?? null;
    const { fetchedBytes } = planUpdate(from.manifest, offered.manifest);
    return { patch, blocks: fetchedBytes + this.pairOf('manifest-differences', from, offered).length, whole };
  }

  updateOf(query: URLSearchParams): object {
    const { offered } = this;
    return {
      ...{ game_uid: this.game, channel: 'stable', os: offered?.manifest.origin.os ?? 'linux', arch: 'x86_64' },
      withdrawn: null,
      update: offered !== null && offered.buildId !== query.get('build_id'),
      offered: offered && {
        ...{ build_id: offered.buildId, version: offered.version, file_uid: offered.fileUid },
        ...{ size: offered.zip.length, checksum: checksumOf(offered), sizes: this.sizesOf(query, offered) },
        ...(this.serial === null ? {} : this.stateOffer(offered, this.serial)),
      },
      changelog: [
        { version: offered?.version ?? '', title: '', changelog_items: [{ title: 'More owls', description: '' }] },
      ],
    };
  }
}

/** The content of the files of a release. */
function readerOf({ manifest, tree }: Release) {
  return (entry: number, offset: number, length: number) => {
    const content = Buffer.from(tree[manifest.entries[entry]!.path] as Buffer | string);
    return content.subarray(offset, offset + length);
  };
}

function checksumOf({ zip }: Release): string {
  return hexDigestOf(zip);
}

/** A zip of a benchmark has a gigabyte, and hundreds of ranges of it are asked for. */
const digests = new WeakMap<Buffer, string>();

function hexDigestOf(bytes: Buffer): string {
  return digests.getOrInsertComputed(bytes, () => createHash('sha256').update(bytes).digest('hex'));
}

export function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ success: false, error: { code: 4041, message: 'not found' } }));
}

function packOf(old: Release, next: Release): Buffer {
  const pieces: Buffer[] = [];
  const content = { readOld: readerOf(old), readNew: readerOf(next), write: (bytes: Buffer) => pieces.push(bytes) };
  const index = makePack(planPack(old.manifest, next.manifest), content);
  return Buffer.concat([index, ...pieces]);
}
