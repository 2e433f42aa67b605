// A hostile server, or a proxy before an honest one. Nothing is written outside of the folder, and no byte is used that the
// key didn't sign.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type Entry, encodeManifest, type FileEntry, type Manifest, packManifest } from '@chauffeur/deltas/manifest';
import { install, repair, update } from '../src/updater.ts';
import { expected, makeFolder, noise, read } from './setup/folders.ts';
import { type Hook, makeKey, Origin, sendJson, type Tree, zipOf } from './setup/origin.ts';

const QUICK = { retries: { failures: 3, pace: 0.001 } } as const;
const TREE: Tree = {
  'bin/game': noise(20_000, 1),
  'data/world.pak': noise(50_000, 2),
  'data/level.dat': Buffer.from('level\n'.repeat(5000)),
  'docs/readme.txt': 'Read me. '.repeat(500),
};
const NEXT: Tree = { ...TREE, 'data/level.dat': Buffer.from('another level\n'.repeat(5000)) };

let origin: Origin;
before(async () => {
  origin = await new Origin().start();
});
after(() => origin.stop());
beforeEach(() => {
  origin.hook = () => false;
});

const installInto = (folder: string) =>
  install({ ...QUICK, folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });

/** Installs the tree, and returns its folder within another one, which must not change. */
async function installed(t: Parameters<typeof makeFolder>[0]): Promise<string> {
  const folder = join(makeFolder(t), 'game');
  origin.release(TREE);
  await installInto(folder);
  return folder;
}

/** Expects that an update is refused, and that nothing has changed. */
async function assertRefused(folder: string, message: RegExp, code = 'untrusted'): Promise<void> {
  await assert.rejects(update({ ...QUICK, folder }), (error: Error & { code: string }) => {
    assert.match(error.message, message);
    assert.equal(error.code, code);
    return true;
  });
  assert.deepEqual(read(folder), expected(TREE));
  assert.deepEqual(readdirSync(join(folder, '..')), ['game']);
}

const change = (manifest: Manifest, entry: (entry: Entry, index: number) => Entry): Manifest => ({
  ...manifest,
  entries: manifest.entries.map(entry),
});

test('a manifest without a signature, or with a wrong one, is refused', async (t) => {
  const folder = await installed(t);
  const release = origin.release(NEXT);
  const answer =
    (signature: string | undefined): Hook =>
    (request, response) => {
      if (request.url?.endsWith('/manifest') !== true) return false;
      if (signature !== undefined) response.setHeader('x-chauffeur-signature', signature);
      response.end(release.packed);
      return true;
    };
  const { keyId } = origin.keys[0]!.key;
  for (const signature of [undefined, '', 'x', `${keyId} ${'A'.repeat(86)}`, `${'0'.repeat(16)} ${'A'.repeat(86)}`]) {
    origin.hook = answer(signature);
    await assertRefused(folder, /signature|signed/);
  }
  origin.hook = (request, response) => {
    if (request.url?.endsWith('/manifest') !== true) return false;
    response.writeHead(404).end();
    return true;
  };
  await assertRefused(folder, /no signed list/);
});

test('a manifest that somebody else signed is refused, also with their key published', async (t) => {
  const folder = await installed(t);
  const release = origin.release(NEXT);
  const key = makeKey();
  const publish = (previous: object | null) => [
    {
      ...{ key_id: key.keyId, algorithm: 'ed25519', public_key: key.publicKey.toString('base64url') },
      ...{ created_at: '', previous },
    },
    ...origin.publishedKeys(),
  ];
  for (const previous of [null, { key_id: origin.keys[0]!.key.keyId, signature: 'A'.repeat(86) }]) {
    origin.hook = (request, response) => {
      if (request.url === '/.well-known/chauffeur-keys.json') sendJson(response, { keys: publish(previous) });
      else if (request.url?.endsWith('/manifest') === true)
        origin.sendManifest(response, release.packed!, release.manifest, { key, previous: null });
      else return false;
      return true;
    };
    await assertRefused(folder, /another key than before/);
  }
});

test('a key that the old one vouches for is followed, one without that is not', async (t) => {
  const folder = await installed(t);
  origin.rotate(true);
  origin.rotate(true);
  origin.release(NEXT);
  await update({ ...QUICK, folder });
  assert.deepEqual(read(folder), expected(NEXT));
  origin.release(TREE);
  await update({ ...QUICK, folder });
  origin.rotate(false);
  origin.release(NEXT);
  await assertRefused(folder, /another key than before/);
  // A key that was replaced doesn't sign any more.
  origin.keys.shift();
  const [newest, previous] = origin.keys;
  origin.hook = (request, response) => {
    if (request.url?.endsWith('/manifest') !== true) return false;
    const { packed, manifest } = origin.offered!;
    origin.sendManifest(response, packed!, manifest, previous);
    return true;
  };
  await assertRefused(folder, /another key than before/);
  assert.ok(newest);
  origin.hook = () => false;
});

test('the manifest of another build, file or game is refused', async (t) => {
  const folder = await installed(t);
  const old = origin.releases.at(-1)!;
  const release = origin.release(NEXT);
  origin.hook = (request, response) => {
    if (request.url?.endsWith('/manifest') !== true) return false;
    origin.sendManifest(response, old.packed!, old.manifest);
    return true;
  };
  await assertRefused(folder, /another build/);
  origin.hook = () => false;
  const right = release.manifest;
  const untruths: Manifest[] = [
    { ...right, origin: { ...right.origin, game: crypto.randomUUID() } },
    { ...right, origin: { ...right.origin, file: old.fileUid } },
    { ...right, origin: { ...right.origin, os: 'windows' } },
    { ...right, zip: { ...right.zip, size: right.zip.size + 1 } },
    { ...right, zip: { ...right.zip, sha256: Buffer.alloc(32) } },
  ];
  for (const lie of untruths) {
    origin.lie(release, () => lie);
    await assertRefused(folder, /another build/);
  }
});

test('paths that leave the folder, or that the updater or the system reserves, are refused', async (t) => {
  const folder = await installed(t);
  const paths = [
    '../evil',
    '/etc/evil',
    'a/../../evil',
    'C:/evil',
    'a\\evil',
    '',
    '.',
    'a//b',
    'bin/game/evil',
    'a\0b',
  ];
  const reserved = [
    '.chauffeur/journal.json',
    '.Chauffeur',
    `${'.chauffeur'.slice(1, 7).toUpperCase()}~1/journal.json`,
  ];
  for (const path of [...paths, ...reserved]) {
    const release = origin.release(NEXT);
    origin.lie(release, (manifest) => change(manifest, (entry, index) => (index === 2 ? { ...entry, path } : entry)));
    await assertRefused(folder, /not valid|where the updater keeps its own/);
  }
  const release = origin.release({ 'CON.txt': 'x', 'a.': 'y' }, { os: 'linux' });
  assert.ok(release);
  for (const target of ['../../evil', '/etc/passwd', '..', 'a/../../../evil', '\\\\evil\\share']) {
    const linked = origin.release({ ...TREE, link: `-> ${target}` });
    assert.ok(linked);
    await assertRefused(folder, /not valid/);
  }
  // A file inside of a link would be outside of the folder, if the link was followed.
  origin.release({ ...TREE, link: '-> data', 'link/evil.dat': 'evil' });
  await assertRefused(folder, /not valid/);
});

test('entries whose names are the same on the system of the build are refused', async (t) => {
  const folder = join(makeFolder(t), 'game');
  for (const tree of [
    { 'A.dat': 'x', 'a.dat': 'y' },
    { 'CON.txt': 'x' },
    { aux: 'x' },
    { 'a.dat.': 'x' },
    { 'a:b': 'x' },
  ] as Tree[]) {
    origin.release(tree, { os: 'windows' });
    await assert.rejects(
      install({ ...QUICK, folder, address: origin.address, platform: { os: 'windows', arch: 'x86_64' } }),
      { code: 'untrusted', message: /not valid/ },
    );
    assert.deepEqual(existsSync(folder) ? read(folder) : {}, {});
  }
});

test('wrong bytes are never used, whatever the way a file is packed', async (t) => {
  for (const path of ['data/world.pak', 'data/level.dat', 'docs/readme.txt']) {
    const folder = await installed(t);
    const content = Buffer.from(`different ${path} `.repeat(3000));
    const release = origin.release({ ...TREE, [path]: content });
    const { offset, packed } = release.manifest.entries.find((entry) => entry.path === path) as FileEntry;
    const zip = Buffer.from(release.zip);
    zip.writeUInt8(zip.readUInt8(offset + (packed >> 1)) ^ 0xff, offset + (packed >> 1));
    const right = release.zip;
    origin.hook = (request, response) => {
      if (request.url?.endsWith('/download') !== true) return false;
      release.zip = zip;
      origin.sendZip(request, response, release);
      release.zip = right;
      return true;
    };
    await assertRefused(folder, /other bytes than it signed|isn’t what the server signed/);
    origin.hook = () => false;
    await update({ ...QUICK, folder });
    assert.equal(read(folder)[path], content.toString('latin1'));
  }
});

test('sizes that lie, and small downloads that unpack to much, are refused', async (t) => {
  const bomb = Buffer.alloc(30_000_000);
  for (const path of ['bomb.txt', 'bomb.dat']) {
    const folder = await installed(t);
    const release = origin.release({ ...TREE, [path]: bomb });
    origin.lie(release, (manifest) => {
      const index = manifest.entries.findIndex((entry) => entry.path === path);
      const entry = manifest.entries[index] as FileEntry;
      const lengths = Uint32Array.from(manifest.blocks.lengths);
      const last = entry.firstBlock + entry.blocks - 1;
      const less = Math.floor(lengths[last]! / 2);
      lengths[last] = lengths[last]! - less;
      return {
        ...change(manifest, (other) => (other === entry ? { ...entry, size: entry.size - less } : other)),
        blocks: { ...manifest.blocks, lengths },
      };
    });
    await assertRefused(folder, /other bytes than it signed|isn’t what the server signed/);
  }
});

test('a manifest that is not one, or unpacks to too much, is refused', async (t) => {
  const folder = await installed(t);
  const release = origin.release(NEXT);
  for (const packed of [
    Buffer.alloc(0),
    Buffer.from('nonsense'),
    Buffer.alloc(100_000, 0xff),
    packManifest(Buffer.alloc(300_000_000)),
  ]) {
    origin.hook = (request, response) => {
      if (request.url?.endsWith('/manifest') !== true) return false;
      origin.sendManifest(response, packed, release.manifest);
      return true;
    };
    await assertRefused(folder, /not valid|not what the server signed/);
  }
  for (const bytes of [100, 1000, 5000]) {
    const encoded = Buffer.from(encodeManifest(release.manifest));
    encoded.writeUInt8(encoded.readUInt8(Math.min(bytes, encoded.length - 1)) ^ 1, Math.min(bytes, encoded.length - 1));
    origin.hook = (request, response) => {
      if (request.url?.endsWith('/manifest') !== true) return false;
      origin.sendManifest(response, packManifest(encoded), release.manifest);
      return true;
    };
    await assertRefused(folder, /not what the server signed/);
  }
});

test('ids that are not ids are refused', async (t) => {
  const folder = await installed(t);
  origin.release(NEXT);
  const right = origin.offered!;
  for (const fileUid of ['../../evil', '', 'x'.repeat(36), `${right.fileUid}/..`]) {
    origin.offered = { ...right, fileUid };
    await assertRefused(folder, /makes no sense/);
  }
});

test('answers that make no sense are refused, and texts are cleaned for terminals', async (t) => {
  const folder = join(makeFolder(t), 'game');
  origin.release(TREE);
  for (const data of [null, 1, [], {}, { downloads: null }, { downloads: [null], game_uid: '../x' }]) {
    origin.hook = (request, response) => {
      if (/\/games\/night-owls/.test(request.url ?? '')) sendJson(response, { success: true, data });
      else return false;
      return true;
    };
    await assert.rejects(installInto(folder), { name: 'UpdaterError' });
    assert.ok(!existsSync(folder));
  }
  origin.hook = () => false;
  const evil = { ...origin.offered!, version: '1\u001b[2J\u202e' };
  origin.releases.push(evil);
  origin.offered = evil;
  const { to } = await installInto(folder);
  assert.equal(to.version, '1 [2J ');
});

test('a zip without a manifest is checked by its sum, and unpacked only inside', async (t) => {
  const folder = join(makeFolder(t), 'game');
  const release = origin.release(TREE);
  release.packed = null;
  const right = release.zip;
  origin.hook = (request, response) => {
    if (request.url?.endsWith('/download') !== true) return false;
    release.zip = Buffer.alloc(right.length);
    origin.sendZip(request, response, release);
    release.zip = right;
    return true;
  };
  await assert.rejects(installInto(folder), { code: 'untrusted' });
  origin.hook = () => false;
  for (const tree of [
    { '../evil.dat': 'x' },
    { '/evil.dat': 'x' },
    { link: '-> ../..', 'a.dat': 'x' },
    { 'a.dat/b.dat': 'x', 'a.dat': 'y' },
  ] as Tree[]) {
    const evil = { ...origin.release({ 'a.dat': 'x' }), packed: null };
    const { zip } = zipOf(tree, {
      stored: { uncut: 0, min: 1, average: 64, max: 1024 },
      packed: { uncut: 0, min: 1, average: 64, max: 1024 },
    });
    evil.zip = zip;
    origin.releases.push(evil);
    origin.offered = evil;
    origin.releases.splice(origin.releases.length - 2, 1);
    await assert.rejects(installInto(folder), { code: 'untrusted' });
    assert.deepEqual(readdirSync(join(folder, '..')), ['game']);
    assert.deepEqual(read(folder), {});
  }
});

test('repair trusts the server no more than an update does', async (t) => {
  const folder = await installed(t);
  origin.hook = (request, response) => {
    if (request.url?.endsWith('/manifest') !== true) return false;
    response.end('nonsense');
    return true;
  };
  await assert.rejects(repair({ ...QUICK, folder }), { code: 'untrusted' });
  assert.deepEqual(read(folder), expected(TREE));
});
