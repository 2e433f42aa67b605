// Finds out what a new version consists of, and where its bytes come from.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@chauffeur/deltas/manifest';
import { findPlaceProblem } from '@chauffeur/deltas/paths';
import { hashFile } from './content.ts';
import type { Source } from './download.ts';
import { fetchKeys, fetchManifest } from './fetch-signed.ts';
import { Handles } from './handles.ts';
import { type Options, serverOf } from './options.ts';
import { hostOs } from './platform.ts';
import type { Offer } from './server.ts';
import { checkSpace } from './space.ts';
import { Spool } from './spool.ts';
import type { Install } from './state.ts';
import { type InstallFolders, STATE_FOLDER } from './switch-over.ts';
import type { Transfer } from './transfer.ts';
import { followKeys, openManifest, parseSignature, untrusted } from './trust.ts';
import { localSource, readZip } from './whole-zip.ts';

/** The beginning of the second name that Windows gives to `.chauffeur`. */
const SHORT_NAME = `${STATE_FOLDER.slice(1, 7)}~`;

/** The new version: what it consists of, and where its bytes come from. */
type Target = {
  readonly manifest: Manifest;
  readonly source: Source;
  readonly key: Install['key'];
  readonly isSigned: boolean;
  readonly cleanUp: () => Promise<void>;
};

export async function openTarget(
  folders: InstallFolders,
  current: Install,
  offer: Offer,
  options: Options,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<Target> {
  const server = serverOf(current.server, options);
  const request = {
    fetch: server.options.fetch ?? fetch,
    headers: options.headers ?? {},
    signal,
    retries: transfer.retries,
  };
  const { uid } = current.game;
  const source = transfer.sourceOf(server.downloadUrl(uid, offer.fileUid), offer.size);
  const sent = await fetchManifest(server.manifestUrl(uid, offer.fileUid), request);
  if (sent !== null) {
    const { keyId, signature } = parseSignature(sent.signature);
    const keys = current.key?.keyId === keyId ? [] : await fetchKeys(server.keysUrl(), request);
    const key = followKeys(keys, keyId, current.key);
    const manifest = openManifest(sent.packed, signature, key, { gameUid: uid, ...offer });
    transfer.count(sent.packed.length);
    await removeSpools(folders, null);
    return { manifest, source, key, isSigned: true, cleanUp: async () => {} };
  }
  if (current.isSigned) throw untrusted(`The server has no signed list of the files of version ${offer.version}.`);
  const handles = new Handles();
  await removeSpools(folders, offer.fileUid);
  const spool = await Spool.open(join(folders.state, offer.fileUid), offer.size, handles);
  await checkSpace(folders.state, offer.size - spool.presentBytes);
  try {
    const parts = spool.parts(0);
    transfer.plan(parts.reduce((sum, { length }) => sum + length, 0));
    await transfer.fetch(source, offer.size, parts, signal);
  } finally {
    await handles.close();
  }
  const hash = await hashFile(spool.path, signal);
  if (hash?.toString('hex') !== offer.checksum) {
    await spool.remove();
    throw untrusted('The download isn’t what the server has described.');
  }
  const { buildId: build, fileUid: file, version, os, arch } = offer;
  const manifest = await readZip(spool.path, { game: uid, build, file, version, os, arch }, signal);
  return {
    manifest,
    source: localSource(spool.path),
    key: current.key,
    isSigned: false,
    cleanUp: () => spool.remove(),
  };
}

/** Removes the downloads of other versions that were given up. */
async function removeSpools(folders: InstallFolders, apartFrom: string | null): Promise<void> {
  for (const name of await readdir(folders.state))
    if (/\.(packed|have)$/.test(name) && (apartFrom === null || !name.startsWith(apartFrom)))
      await rm(join(folders.state, name), { force: true });
}

/** Refuses a version that can't be installed on this computer, or that has files where the updater has its own. */
export function checkManifest({ entries }: Manifest): void {
  for (const { path } of entries) {
    const [first = ''] = path.normalize('NFKC').toLowerCase().split('/');
    // On Windows, files have a second, short name.
    if (first === STATE_FOLDER || first.startsWith(SHORT_NAME))
      throw untrusted(`The update has a file ${JSON.stringify(path)}, where the updater keeps its own.`);
  }
  const places = entries.map((entry) => ({ ...entry, target: entry.type === 'link' ? entry.target : '' }));
  const problem = findPlaceProblem(places, hostOs());
  if (problem !== null) throw untrusted(`The update can’t be installed on this system: ${problem}.`);
}
