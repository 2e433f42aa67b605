// The manifest that the scan of a zip writes: whatever wrote the zip, each block is found where the manifest says.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { packBlockSync, STREAM_END, unpackBlock } from '@chauffeur/deltas/blocks';
import { cut, DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { blockHash, decodeManifest, type Manifest, unpackManifest } from '@chauffeur/deltas/manifest';
import { blockOffsets } from '@chauffeur/deltas/plan';
import { findManifest } from '../src/ship/files/files.sql.ts';
import { makeGame, startServer, type TestServer } from './setup/server.ts';
import { sha256, shipAndScan } from './setup/uploads.ts';
import { buildZip, type ZipPiece } from './setup/zips.ts';

let server: TestServer;
let game: Awaited<ReturnType<typeof makeGame>>;
before(async () => {
  server = await startServer();
  game = await makeGame(server);
});
after(() => server.stop());

/** Bytes that get smaller. */
function text(length: number, seed: number): Buffer {
  let state = seed;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return 97 + ((state >>> 16) % 9);
    }),
  );
}

/** An entry as our command writes it. */
function inBlocks(data: Buffer): Partial<ZipPiece> {
  const packed: Buffer[] = [];
  let at = 0;
  for (const length of cut(data, DEFAULT_SIZES.packed)) {
    packed.push(packBlockSync(data.subarray(at, at + length), 6));
    at += length;
  }
  return { data, method: 8, packed: Buffer.concat([...packed, STREAM_END]) };
}

async function readManifestOf(zip: Buffer): Promise<{ manifest: Manifest; buildId: string; fileUid: string }> {
  const { buildId, fileUid } = await shipAndScan(server, game, {}, zip);
  const row = await findManifest(server.ctx.db, { game_id: game.uid, file_id: fileUid });
  assert.ok(row !== undefined);
  const packed = Buffer.concat(await (await server.ctx.blobs.read(row.key)).toArray());
  assert.equal(packed.length, row.size);
  const bytes = unpackManifest(packed);
  assert.equal(sha256(bytes), row.sha256);
  return { manifest: decodeManifest(bytes), buildId, fileUid };
}

/** The content of a file, put together from the ranges of the zip that the manifest names. */
function readFrom(zip: Buffer, manifest: Manifest, path: string): Buffer {
  const entry = manifest.entries.find((each) => each.path === path);
  assert.ok(entry?.type === 'file', path);
  const packed = zip.subarray(entry.offset, entry.offset + entry.packed);
  const content =
    entry.method === 'whole'
      ? inflateRawSync(packed)
      : Buffer.concat(
          blockOffsets(manifest, entry).map((offset, index) => {
            const block = entry.firstBlock + index;
            const bytes = zip.subarray(offset, offset + manifest.blocks.packed[block]!);
            return entry.method === 'stored' ? bytes : unpackBlock(bytes, manifest.blocks.lengths[block]!);
          }),
        );
  let at = 0;
  for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block++) {
    const bytes = content.subarray(at, at + manifest.blocks.lengths[block]!);
    const hash = createHash('sha256').update(bytes).digest().subarray(0, 16);
    assert.ok(hash.equals(blockHash(manifest.blocks, block)), `${path}, block ${block}`);
    at += bytes.length;
  }
  assert.equal(at, entry.size);
  assert.equal(sha256(content), entry.sha256.toString('hex'));
  return content;
}

test('each file of a zip is found by its blocks, whatever wrote the zip', async () => {
  const large = text(2_000_000, 1);
  const mixed = Buffer.concat([text(300_000, 2), randomBytes(1_000_000), text(700_000, 3)]);
  const noise = randomBytes(900_000);
  const contents: Record<string, { piece: Partial<ZipPiece>; content: Buffer; method: string }> = {
    'large.pak': { piece: inBlocks(large), content: large, method: 'blocks' },
    'mixed.pak': { piece: inBlocks(mixed), content: mixed, method: 'blocks' },
    'short.txt': { piece: inBlocks(text(500, 4)), content: text(500, 4), method: 'blocks' },
    'other.pak': { piece: { data: large, method: 8 }, content: large, method: 'whole' },
    'other.txt': { piece: { data: text(500, 5), method: 8 }, content: text(500, 5), method: 'whole' },
    'music.ogg': { piece: { data: noise }, content: noise, method: 'stored' },
    'later.txt': { piece: { data: large, method: 8, descriptor: true }, content: large, method: 'whole' },
    'empty.txt': { piece: { data: '' }, content: Buffer.alloc(0), method: 'stored' },
    'none.txt': { piece: { data: '', method: 8 }, content: Buffer.alloc(0), method: 'whole' },
  };
  const pieces = Object.entries(contents).map(([name, { piece }]) => ({ name, mode: 0o100755, ...piece }));
  const folders = [{ name: 'saves/', mode: 0o040755 }];
  const links = [{ name: 'current', data: 'large.pak', mode: 0o120777 }];
  const zip = buildZip([...folders, ...pieces, ...links]);
  const { manifest, buildId, fileUid } = await readManifestOf(zip);
  for (const [path, { content, method }] of Object.entries(contents)) {
    assert.ok(readFrom(zip, manifest, path).equals(content), path);
    const entry = manifest.entries.find((each) => each.path === path);
    assert.ok(entry?.type === 'file');
    assert.deepEqual([path, entry.method, entry.mode], [path, method, 0o755]);
  }
  assert.deepEqual(manifest.entries[0], { path: 'saves', type: 'folder', mode: 0o755 });
  assert.deepEqual(manifest.entries.at(-1), { path: 'current', type: 'link', target: 'large.pak' });
  assert.equal(manifest.zip.size, zip.length);
  assert.equal(manifest.zip.sha256.toString('hex'), sha256(zip));
  const { os, arch } = manifest.origin;
  assert.deepEqual(manifest.origin, { game: game.uid, build: buildId, file: fileUid, version: '1.0.0', os, arch });
});

test('a stream with flushes that another program wrote is not a stream of blocks', async () => {
  const data = text(1_500_000, 6);
  // Each part could be unpacked alone, but the content isn't cut there.
  const parts = [0, 1, 2].map((index) => packBlockSync(data.subarray(index * 500_000, (index + 1) * 500_000), 6));
  const early = Buffer.concat([packBlockSync(data.subarray(0, 100), 6), deflateRawSync(data.subarray(100))]);
  const zip = buildZip([
    { name: 'a', data, method: 8, packed: Buffer.concat([...parts, STREAM_END]) },
    { name: 'b', data, method: 8, packed: early },
  ]);
  const { manifest } = await readManifestOf(zip);
  for (const path of ['a', 'b']) assert.ok(readFrom(zip, manifest, path).equals(data));
});

test('a manifest is public where its file is, with the signature of the installation', async () => {
  const { manifest, fileUid } = await readManifestOf(buildZip([{ name: 'game', data: 'hello' }]));
  const url = `${server.url}/api/v1/public/games/${game.uid}/files/${fileUid}/manifest`;
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/vnd.chauffeur.manifest');
  const bytes = unpackManifest(Buffer.from(await response.arrayBuffer()));
  assert.deepEqual(decodeManifest(bytes), manifest);
  const [keyId, signature = ''] = response.headers.get('x-chauffeur-signature')?.split(' ') ?? [];
  const { keys } = await (await fetch(`${server.url}/.well-known/chauffeur-keys.json`)).json();
  const { public_key: x } = keys.find(({ key_id }: { key_id: string }) => key_id === keyId);
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const digest = createHash('sha256').update(bytes).digest();
  const message = Buffer.concat([Buffer.from('chauffeur manifest 1\n'), digest]);
  assert.ok(verify(null, message, key, Buffer.from(signature, 'base64url')));
  const etag = response.headers.get('etag') ?? '';
  assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304);

  const hidden = await makeGame(server, { visibility: 'draft' });
  const { fileUid: hiddenFile } = await shipAndScan(server, hidden, {}, buildZip([{ name: 'game', data: 'hello' }]));
  const ofDraft = `${server.url}/api/v1/public/games/${hidden.uid}/files/${hiddenFile}/manifest`;
  assert.equal((await fetch(ofDraft)).status, 404);
  assert.equal((await fetch(url.replace(fileUid, hiddenFile))).status, 404);
});
