// Uploads only what changed of a folder: asks which blocks of its zip the server has from earlier files of the game, and sends
// a bundle of the others, from which the server composes the zip.
//
//   ask       A short question says whether there are earlier files.
//   describe  Every file is read once, cut and hashed.
//   plan      The server answers which blocks it doesn't have.
//   bundle    They are packed. The same folder and the same answer give the same bytes, so an upload can be resumed.
//   send      The bundle is sent in a session, like a zip.
//   wait      The server composes the zip.
//
// If the server is too old, has too little of it, or loses what it had, the caller uploads the whole zip.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { isError } from '@chauffeur/contract/errors';
import { formatBytes } from '@chauffeur/contract/format';
import { getFileManifest } from '@chauffeur/contract/operations/files';
import { getUploadSession, planUpload, type UploadedFile } from '@chauffeur/contract/operations/uploads';
import { BlockSet, bundleHead, lengthOf, MAX_RECIPE_BYTES, makeRecipe } from '@chauffeur/deltas/bundle';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { DeltaError } from '@chauffeur/deltas/error';
import {
  blockHash,
  decodeManifest,
  encodeManifest,
  packManifest,
  type Entry as RecipeEntry,
  unpackManifest,
} from '@chauffeur/deltas/manifest';
import type { Context } from '../context.ts';
import { LocalError, ScanError } from '../failures.ts';
import { startProgress } from '../progress.ts';
import { retry } from '../retry.ts';
import { type Description, describeZip, packBlockAt } from '../zip/describe.ts';
import type { Entry } from '../zip/entries.ts';
import { HashedFile } from '../zip/hashed-file.ts';
import { mapInOrder } from '../zip/in-order.ts';
import { changed } from '../zip/parts.ts';
import { uploadBundle } from './upload.ts';

/** Smaller folders are uploaded as a whole at once. */
const MIN_BYTES = 1024 * 1024;
/** The least share of the folder that the server must have. */
const MIN_REUSED = 0.1;
const BLOCKS_AHEAD = 8;

type Target = {
  build_id: string;
  version: string;
  os: UploadedFile['os'];
  arch: UploadedFile['arch'];
  channel: string;
};

/** `description` is what the file has to have. */
export type ChangesUpload = {
  readonly file: UploadedFile;
  readonly uploaded: boolean;
  readonly sentBytes: number;
  readonly reusedBytes: number;
  readonly description: Description;
};

type Options = {
  /** A folder for temporary files. */
  temp: string;
  filename: string;
  resume: boolean;
};

/** Resolves to null if the whole zip has to be uploaded. */
export async function uploadChanges(
  client: Client,
  entries: readonly Entry[],
  target: Target,
  options: Options,
  context: Context,
): Promise<ChangesUpload | null> {
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total < MIN_BYTES) return null;
  // Without an earlier file, or from an old server, there is nothing to compare the folder with.
  const earlier = await askForPlan(client, emptyRecipe(target), target, context);
  if (!((earlier?.earlier_files ?? 0) > 0)) return null;
  const description = await describe(entries, target, context);
  const recipe = packRecipe(description);
  if (recipe === null) return null;
  const plan = await askForPlan(client, recipe, target, context);
  if (plan === null) return null;
  const { lengths } = description.recipe.blocks;
  const missing = readMissing(plan.missing, lengths.length);
  if (missing === null) return null;
  if (plan.same_file != null) {
    context.output.note(
      'The service already has these files as the newest file of the build, so nothing was uploaded.',
    );
    return { file: plan.same_file, uploaded: false, sentBytes: 0, reusedBytes: 0, description };
  }
  const missingBytes = lengths.reduce((sum, length, block) => sum + (missing.has(block) ? length : 0), 0);
  if (total - missingBytes < MIN_REUSED * total) return null;
  const path = join(options.temp, 'bundle');
  const bundle = await writeBundle(path, recipe, description, missing, context);
  const file = await send(client, { ...bundle, path, filename: options.filename }, target, options.resume, context);
  if (file === null) return null;
  context.output.note(`Sent ${formatBytes(bundle.size)}; ${formatBytes(plan.known_bytes)} were already there.`);
  return { file, uploaded: true, sentBytes: bundle.size, reusedBytes: plan.known_bytes, description };
}

async function describe(entries: readonly Entry[], build: Target, { output, env, signal }: Context) {
  const progress = startProgress('comparing', output, env);
  return describeZip(entries, { build, signal, onProgress: progress.update }).finally(progress.finish);
}

/** A recipe without files, to ask whether there is anything to compare with. */
function emptyRecipe({ os, arch, version, build_id }: Target): Buffer {
  const origin = { game: '', build: build_id, file: '', version, os, arch };
  const blocks = { count: 0, hashes: Buffer.alloc(0), lengths: new Uint32Array() };
  return packManifest(encodeManifest(makeRecipe({ origin, sizes: DEFAULT_SIZES, entries: [], blocks })));
}

/** Null for what a recipe can't have, such as a very long path. */
function packRecipe({ recipe }: Description): Buffer | null {
  try {
    const encoded = encodeManifest(recipe);
    decodeManifest(encoded);
    const packed = packManifest(encoded);
    return packed.length > MAX_RECIPE_BYTES ? null : packed;
  } catch (error) {
    if (error instanceof DeltaError) return null;
    throw error;
  }
}

/** Null if the server can't answer: an old one has no such route. */
async function askForPlan(client: Client, recipe: Buffer, { build_id }: Target, { retryOptions, signal }: Context) {
  const headers = { 'content-type': 'application/octet-stream' };
  try {
    return await retry(retryOptions, () =>
      client.call(planUpload, { build_id }, { form: new Uint8Array(recipe), headers, signal }),
    );
  } catch (error) {
    if (isError(error, 'notFound', 'unreadableForm', 'tooLarge')) return null;
    throw error;
  }
}

/** Null if the answer isn't one to the recipe. */
function readMissing(missing: unknown, count: number): BlockSet | null {
  const bytes = Buffer.from(typeof missing === 'string' ? missing : '', 'base64');
  return bytes.length === Math.ceil(count / 8) ? new BlockSet(count, bytes) : null;
}

async function writeBundle(
  path: string,
  recipe: Buffer,
  { recipe: { blocks }, crcs, places }: Description,
  included: BlockSet,
  { output, env, signal }: Context,
): Promise<{ size: number; sha256: string }> {
  const wanted = places.map((place, block) => ({ place, block })).filter(({ block }) => included.has(block));
  const total = wanted.reduce((sum, { place }) => sum + place.length, 0);
  const progress = startProgress('packing', output, env);
  const file = await HashedFile.create(path);
  try {
    await file.write(bundleHead(recipe, { crcs, included }));
    let done = 0;
    const pack = async ({ place, block }: (typeof wanted)[number]) => ({ place, block, ...(await packBlockAt(place)) });
    for await (const { place, block, raw, packed } of mapInOrder(wanted, BLOCKS_AHEAD, pack)) {
      signal.throwIfAborted();
      const expected = blockHash(blocks, block);
      if (!createHash('sha256').update(raw).digest().subarray(0, expected.length).equals(expected))
        throw changed(place.source);
      await file.write(lengthOf(packed.length), packed);
      done += raw.length;
      progress.update(done, total);
    }
    return await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    progress.finish();
  }
}

/** Null if the server couldn't compose the zip. */
async function send(
  client: Client,
  zip: { path: string; filename: string; size: number; sha256: string },
  { build_id, os, arch, channel }: Target,
  resume: boolean,
  context: Context,
): Promise<UploadedFile | null> {
  const { output, env, retryOptions } = context;
  const progress = startProgress('uploading', output, env);
  const fields = { build_id, os, arch, channel };
  const { session_id } = await uploadBundle({
    ...{ ...retryOptions, client, zip, fields, resume },
    onProgress: progress.update,
  }).finally(progress.finish);
  return waitForZip(client, session_id, context);
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;
const MAX_WAIT_MS = 60 * 60_000;

async function waitForZip(
  client: Client,
  session_id: string,
  { output, retryOptions, signal }: Context,
): Promise<UploadedFile | null> {
  let waited = 0;
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 1.5, MAX_DELAY_MS)) {
    const state = await readState(client, session_id, { retryOptions, signal });
    if (state?.file) return state.file;
    if (state === null || state.state === 'failed') {
      const reason = state?.error?.message ?? 'The upload session no longer exists on the server.';
      output.note(`${reason} Uploading the whole zip instead.`);
      return null;
    }
    if (waited >= MAX_WAIT_MS)
      throw new LocalError('The server did not finish the zip within an hour.', 'Run the same command again later.');
    await retryOptions.waiting.pause(delay, signal);
    waited += delay;
  }
}

async function readState(
  client: Client,
  session_id: string,
  { retryOptions, signal }: Pick<Context, 'retryOptions' | 'signal'>,
) {
  try {
    return await retry(retryOptions, () => client.call(getUploadSession, { session_id }, { signal }));
  } catch (error) {
    if (isError(error, 'unknownSession')) return null;
    throw error;
  }
}

/** Rejects with ScanError if the file on the server has other files, folders or links than the folder. */
export async function checkComposed(
  client: Client,
  file: UploadedFile,
  { recipe }: Description,
  { retryOptions, signal }: Context,
): Promise<void> {
  const { file_uid } = file;
  const packed = await retry(retryOptions, () => client.bytes(getFileManifest, { file_uid }, { signal })).catch(
    (error: unknown) => {
      if (isError(error, 'notFound')) return null;
      throw error;
    },
  );
  if (packed === null) return;
  const found = decodeManifest(unpackManifest(packed)).entries;
  const index = recipe.entries.findIndex((entry, at) => !isSame(entry, found[at]));
  if (index < 0 && found.length === recipe.entries.length) return;
  const path = (recipe.entries[index] ?? found[recipe.entries.length])?.path;
  throw new ScanError(
    `The file on the server differs from the folder: ${JSON.stringify(path)}. Upload it again with --whole.`,
    'rejected',
    file,
  );
}

function isSame(a: RecipeEntry, b: RecipeEntry | undefined): boolean {
  if (a.path !== b?.path) return false;
  if (a.type === 'link') return b.type === 'link' && a.target === b.target;
  if (a.type === 'folder') return b.type === 'folder' && a.mode === b.mode;
  return b.type === 'file' && a.mode === b.mode && a.size === b.size && a.sha256.equals(b.sha256);
}
