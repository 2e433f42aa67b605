// Finds out what a new version consists of, and where its bytes come from.
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isOfUpdater } from '@chauffeur/contract/file-names';
import { DeltaError } from '@chauffeur/deltas/error';
import type { Manifest } from '@chauffeur/deltas/manifest';
import { decodeDifference, encodeDraft } from '@chauffeur/deltas/manifest-difference-reader';
import { findPlaceProblem } from '@chauffeur/deltas/paths';
import { hashFile } from './content.ts';
import type { Source } from './download.ts';
import { UpdaterError } from './error.ts';
import { fetchDifference, fetchKeys, fetchManifest, fetchSignature, type SignedRequest } from './fetch-signed.ts';
import { Handles } from './handles.ts';
import { type Options, serverOf } from './options.ts';
import { type Patched, PatchProblem, updateByPatch } from './patch.ts';
import { hostOs } from './platform.ts';
import type { GameServer, Offer } from './server.ts';
import { checkSpace } from './space.ts';
import { Spool } from './spool.ts';
import type { Install } from './state.ts';
import type { InstallFolders } from './switch-over.ts';
import type { Transfer } from './transfer.ts';
import { followKeys, openManifest, parseSignature, unpackSent, untrusted } from './trust.ts';
import { localSource, readZip } from './whole-zip.ts';

/** The new version: what it consists of, and where its bytes come from. */
type Target = {
  readonly manifest: Manifest;
  readonly source: Source;
  readonly key: Install['key'];
  readonly isSigned: boolean;
  /** Files of the new version that a patch made, by their names in the staging folder. */
  readonly made: Patched['files'];
};

export type TargetOptions = {
  readonly folders: InstallFolders;
  readonly current: Install;
  readonly offer: Offer;
  /** The installed version; null if none is, or if nothing is known of it. */
  readonly old: Manifest | null;
  /** Whether an entry of the installed version is as it was installed. */
  readonly isUsable: (entry: number) => boolean;
  readonly options: Options;
  readonly transfer: Transfer;
  readonly signal: AbortSignal;
};

const NONE: Patched['files'] = new Map();

/**
 * Uses what takes the fewest bytes: a patch pack, the difference of the manifests, the whole manifest, or without a manifest
 * the whole zip. Rejects with UpdaterError.
 */
export async function openTarget(options: TargetOptions): Promise<Target> {
  const { folders, current, offer, transfer, signal } = options;
  const server = serverOf(current.server, options.options);
  const source = transfer.sourceOf(server.downloadUrl(current.game.uid, offer.fileUid), offer.size);
  await removeSpools(folders, offer.fileUid);
  const reader = new SignedReader(server, options);
  const patched = await openPatched(reader, server, options);
  const signed = patched ?? (await openByDifference(reader, server, options)) ?? (await reader.readWhole());
  if (signed !== null) return { source, isSigned: true, made: NONE, ...signed };
  if (current.isSigned && current.build?.fileUid === offer.fileUid)
    throw new UpdaterError(
      'not-offered',
      `The server doesn’t have version ${offer.version} any longer, or doesn’t show it to you.`,
      'Update the game first, or sign in with an account that has access.',
    );
  // A statement that says that there is none, as of a file from before there were lists, vouches for the zip.
  if (current.isSigned && offer.manifest !== null)
    throw untrusted(`The server has no signed list of the files of version ${offer.version}.`);
  const path = await fetchZip(source, options);
  const { buildId: build, fileUid: file, version, os, arch } = offer;
  const manifest = await readZip(path, { game: current.game.uid, build, file, version, os, arch }, signal);
  return { manifest, source: localSource(path), key: current.key, isSigned: current.isSigned, made: NONE };
}

type Signed = { readonly manifest: Manifest; readonly key: NonNullable<Install['key']> };

/** Reads manifests, and checks that a trusted key has signed them for the offer. */
class SignedReader {
  readonly #options: TargetOptions;
  readonly #server: GameServer;
  readonly request: SignedRequest;

  constructor(server: GameServer, options: TargetOptions) {
    this.#options = options;
    this.#server = server;
    this.request = {
      fetch: server.options.fetch ?? fetch,
      headers: options.options.headers ?? {},
      signal: options.signal,
      retries: options.transfer.retries,
    };
  }

  get #url(): string {
    const { current, offer } = this.#options;
    return this.#server.manifestUrl(current.game.uid, offer.fileUid);
  }

  /** Null if the server has no manifest of the file. */
  async readWhole(): Promise<Signed | null> {
    const sent = await fetchManifest(this.#url, this.request);
    if (sent === null) return null;
    this.#options.transfer.count(sent.packed.length);
    return this.#open(sent.signature, unpackSent(sent.packed));
  }

  /** Checks a manifest that was made from the installed one. */
  async check(encoded: Buffer): Promise<Signed> {
    return this.#open(await fetchSignature(this.#url, this.request), encoded);
  }

  async #open(header: string | null, encoded: Buffer): Promise<Signed> {
    const { current, offer } = this.#options;
    const { keyId, signature } = parseSignature(header);
    const keys = current.key?.keyId === keyId ? [] : await fetchKeys(this.#server.keysUrl(), this.request);
    const key = followKeys(keys, keyId, current.key);
    if (offer.manifest !== undefined && createHash('sha256').update(encoded).digest('hex') !== offer.manifest)
      throw untrusted('The list of files is not what the channel offers.');
    return { key, manifest: openManifest(encoded, signature, key, { gameUid: current.game.uid, ...offer }) };
  }
}

/** Null if there is no patch pack, or if it is of no use. What it has made stays. */
async function openPatched(
  reader: SignedReader,
  server: GameServer,
  { folders, current, offer, old, isUsable, transfer, signal }: TargetOptions,
): Promise<(Signed & Pick<Target, 'made'>) | null> {
  const { patch = null, blocks = null } = offer.sizes ?? {};
  const from = current.build?.fileUid;
  if (patch === null || patch >= Math.min(blocks ?? Number.POSITIVE_INFINITY, offer.size)) return null;
  if (old === null || from === undefined || old.origin.file !== from) return null;
  const url = server.patchUrl(current.game.uid, offer.fileUid, from);
  const name = `${offer.fileUid}-${from}`;
  return orOtherwise(signal, async () => {
    const pack = { name, url, size: patch, zipSize: offer.size };
    const patched = await updateByPatch({ folders, old, isUsable, ...pack, transfer, signal });
    try {
      return { ...(await reader.check(patched.encoded)), made: patched.files };
    } catch (error) {
      if (error instanceof UpdaterError && error.code === 'untrusted') await patched.remove();
      throw error;
    }
  });
}

/** Null if the server has no difference from the installed manifest, or another one. */
async function openByDifference(
  reader: SignedReader,
  server: GameServer,
  { current, offer, old, transfer, signal }: TargetOptions,
): Promise<Signed | null> {
  const from = current.build?.fileUid;
  if (offer.sizes?.blocks == null || old === null || from === undefined || old.origin.file !== from) return null;
  return orOtherwise(signal, async () => {
    const bytes = await fetchDifference(server.differenceUrl(current.game.uid, offer.fileUid, from), reader.request);
    if (bytes === null) return null;
    transfer.count(bytes.length);
    return reader.check(encodeDraft(decodeDifference(old, bytes), new Map()));
  });
}

/** Null after a failure for which there is another way. */
async function orOtherwise<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    const isForeseen = error instanceof UpdaterError || error instanceof DeltaError || error instanceof PatchProblem;
    if (isForeseen) return null;
    throw error;
  }
}

/** Downloads the whole zip. Returns where it is. */
async function fetchZip(source: Source, { folders, offer, transfer, signal }: TargetOptions): Promise<string> {
  const handles = new Handles();
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
  if (hash?.toString('hex') === offer.checksum) return spool.path;
  await spool.remove();
  throw untrusted('The download isn’t what the server has described.');
}

/** Removes the downloads of other versions that were given up. */
export async function removeSpools(folders: InstallFolders, apartFrom: string | null): Promise<void> {
  for (const name of await readdir(folders.state))
    if (/\.(packed|have)$/.test(name) && (apartFrom === null || !name.startsWith(apartFrom)))
      await rm(join(folders.state, name), { force: true });
}

/** Refuses a version that can't be installed on this computer, or that has files where the updater has its own. */
export function checkManifest({ entries }: Manifest): void {
  for (const { path } of entries) {
    if (isOfUpdater(path))
      throw untrusted(`The update has a file ${JSON.stringify(path)}, where the updater keeps its own.`);
  }
  const places = entries.map((entry) => ({ ...entry, target: entry.type === 'link' ? entry.target : '' }));
  const problem = findPlaceProblem(places, hostOs());
  if (problem !== null) throw untrusted(`The update can’t be installed on this system: ${problem}.`);
}
