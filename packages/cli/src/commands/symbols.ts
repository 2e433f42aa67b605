// `chauffeur symbols`: uploads Breakpad symbols for a build, those that the service does not have yet.
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listToolSymbols, uploadSymbols } from '@chauffeur/contract/operations/symbols';
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { checkBuildId } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { sizeText } from '../output.ts';
import type { Act, Handler } from '../program.ts';
import { startProgress } from '../progress.ts';
import { persist } from '../retry.ts';
import {
  batchesOf,
  checkSymbolFile,
  findSymbolFiles,
  SYMBOL_LIMITS,
  type SymbolFile,
  withoutKnown,
} from '../symbols/collect.ts';
import { withTempFolder } from '../temp.ts';
import { hashFile } from '../upload/hash-file.ts';
import { multipartBody } from '../upload/multipart.ts';
import { zipEntries } from '../zip/zip.ts';

type Options = { buildId: string; tmp?: string };
type Stored = OutputOf<typeof uploadSymbols>['symbols'];
type Package = { path: string; filename: string; size: number; sha256: string };
/** What was sent, and how many files need not be. */
type Sent = { stored: Stored; skipped: number };

export function symbolsCommand(act: Act): Command {
  return new Command('symbols')
    .description('upload Breakpad .sym files for a build')
    .argument('<path>', 'a folder of .sym files, one .sym file, or a zip of them')
    .requiredOption('--build-id <id>', 'the build they belong to, as chauffeur build printed it')
    .option('--tmp <folder>', 'where zips are kept meanwhile (default: the system’s temporary folder)')
    .addHelpText('after', '\nExample:\n  $ chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" build/symbols')
    .action(act(symbols));
}

const symbols: Handler<Options> = async (context, { buildId, tmp }, path = '') => {
  checkBuildId(buildId);
  const found = await stat(path).catch(() => null);
  if (found === null) throw new LocalError(`${path}: does not exist.`, 'Give a folder, a .sym file or a zip.');
  const { stored, skipped } =
    extname(path).toLowerCase() === '.zip' && !found.isDirectory()
      ? await sendZip(path, buildId, context)
      : await sendFiles(path, found.isDirectory(), buildId, tmp, context);
  if (skipped > 0) context.output.note(`The service has ${countOf(skipped)} of this build already.`);
  const lines = stored.map(({ symbol_uid, debug_id, debug_file }) => `${symbol_uid}  ${debug_id}  ${debug_file}`);
  return { data: { symbols: stored, skipped }, lines };
};

async function sendFiles(
  path: string,
  isFolder: boolean,
  buildId: string,
  tmp: string | undefined,
  context: Context,
): Promise<Sent> {
  const files = isFolder ? await findSymbolFiles(path, context.signal) : [await openSymbolFile(path)];
  const client = await context.connect();
  const known = new Set((await listAll(client, buildId, context)).filter(isWell).map(({ checksum }) => checksum));
  const fresh = await withoutKnown(files, known, context.signal);
  const batches = batchesOf(fresh);
  const stored: Stored = [];
  for (const [index, batch] of batches.entries()) {
    const part = batches.length > 1 ? ` (part ${index + 1} of ${batches.length})` : '';
    context.output.note(`Sending ${countOf(batch.length)}${part}.`);
    stored.push(...(await sendBatch(client, batch, buildId, tmp, context)));
  }
  return { stored, skipped: files.length - fresh.length };
}

/** What the build has, page by page. */
async function listAll(client: Client, buildId: string, context: Context): Promise<Stored> {
  const listed: Stored = [];
  let place: { cursor?: string } = {};
  for (;;) {
    const input = { build_id: buildId, ...place };
    const { symbols: page, next_cursor: cursor } = await context.insist(() =>
      client.call(listToolSymbols, input, { signal: context.signal }),
    );
    listed.push(...page);
    // A server of before there were pages tells none.
    if (typeof cursor !== 'string') return listed;
    place = { cursor };
  }
}

/** One that could not be read gets another chance when it is sent again. */
function isWell({ state }: Stored[number]): boolean {
  return state !== 'unreadable';
}

async function openSymbolFile(path: string): Promise<SymbolFile> {
  if (extname(path).toLowerCase() !== '.sym') {
    throw new LocalError(`${path}: is neither a .sym file nor a zip.`, 'Make .sym files with dump_syms.');
  }
  return { source: path, size: await checkSymbolFile(path, basename(path)), entry: null };
}

async function sendBatch(
  client: Client,
  batch: readonly SymbolFile[],
  buildId: string,
  tmp: string | undefined,
  context: Context,
): Promise<Stored> {
  const entries = batch.flatMap(({ entry }) => (entry === null ? [] : [entry]));
  const [first] = batch;
  if (first !== undefined && batch.length === 1) return send(client, await packageOf(first.source), buildId, context);
  return withTempFolder(tmp, async (folder) => {
    const path = join(folder, 'symbols.zip');
    const options = { signal: context.signal, maxBytes: SYMBOL_LIMITS.uploadBytes };
    const { size, sha256 } = await zipEntries(entries, path, options);
    return send(client, { path, filename: 'symbols.zip', size, sha256 }, buildId, context);
  });
}

async function sendZip(path: string, buildId: string, context: Context): Promise<Sent> {
  const content = await packageOf(path);
  if (content.size > SYMBOL_LIMITS.uploadBytes) {
    throw new LocalError(
      `${path}: is larger than ${sizeText(SYMBOL_LIMITS.uploadBytes)}.`,
      `Unpack it and give the folder in place of it, which is sent in parts, such as ${dirname(path)}.`,
    );
  }
  return { stored: await send(await context.connect(), content, buildId, context), skipped: 0 };
}

async function packageOf(path: string): Promise<Package> {
  return { path, filename: basename(path), ...(await hashFile(path)) };
}

/** Repeated when the answer is lost: the same symbols sent twice are one. */
async function send(client: Client, file: Package, buildId: string, context: Context): Promise<Stored> {
  const progress = startProgress('uploading', context.output, context.env);
  const fields = { build_id: buildId, checksum: file.sha256 };
  const attempt = () => {
    const onSent = (sent: number) => progress.update(sent, file.size);
    const { form, headers } = multipartBody(fields, { ...file, start: 0, end: file.size }, onSent);
    return client.send(uploadSymbols, form, { headers, signal: context.signal });
  };
  const { symbols: stored } = await persist(context.patience, attempt).finally(progress.finish);
  return stored;
}

function countOf(files: number): string {
  return `${files} symbol file${files === 1 ? '' : 's'}`;
}
