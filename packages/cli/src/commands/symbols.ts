// `chauffeur symbols`: uploads the Breakpad symbols of a build that the service does not have yet.
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { formatBytes } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listToolSymbols, uploadSymbols } from '@chauffeur/contract/operations/symbols';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { checkBuildId } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { formatCount } from '../output.ts';
import { startProgress } from '../progress.ts';
import { retry } from '../retry.ts';
import {
  batchesOf,
  checkSymbolFile,
  findSymbolFiles,
  SYMBOL_LIMITS,
  type SymbolFile,
  skipUploaded,
} from '../symbols/collect.ts';
import { hashFile, multipartBody } from '../upload/multipart.ts';
import { withTempFolder, zipEntries } from '../zip/zip.ts';
import { type Act, type Action, withExample } from './command.ts';

export function symbolsCommand(command: Command, act: Act): Command {
  return withExample(command, 'symbols --build-id "$SERVICE_GAMES_BUILD_ID" build/symbols')
    .argument('<path>', 'folder with .sym files, a single .sym file, or a zip of them')
    .requiredOption('--build-id <id>', 'id of the build, as printed by chauffeur build')
    .option('--tmp <folder>', "folder for temporary zips (default: the system's temporary folder)")
    .action(act(symbols));
}

type Options = { buildId: string; tmp?: string };
type Uploaded = Pick<OutputOf<typeof uploadSymbols>, 'symbols' | 'not_used'>;
type Stored = Uploaded['symbols'];
type Package = { path: string; filename: string; size: number; sha256: string };
/** What the service did with the uploaded files, and the number of files that were skipped. */
type Sent = Uploaded & { skipped: number };

const symbols: Action<Options> = async (context, { buildId, tmp }, path = '') => {
  checkBuildId(buildId);
  const stats = await stat(path).catch(() => null);
  if (stats === null) throw new LocalError(`${path}: does not exist.`, 'Use a folder, a .sym file or a zip.');
  const {
    symbols: stored,
    not_used: unused,
    skipped,
  } = extname(path).toLowerCase() === '.zip' && !stats.isDirectory()
    ? await sendZip(path, buildId, context)
    : await sendFiles(path, stats.isDirectory(), buildId, tmp, context);
  if (skipped > 0) context.output.note(`Skipped ${formatCount(skipped, 'symbol file')} that the service already has.`);
  for (const { file, reason } of unused) context.output.note(`warning: ${file} (not used): ${reason}`);
  for (const { debug_file, problem } of stored)
    if (problem !== null) context.output.note(`warning: ${debug_file}: ${problem}`);
  const rows = stored.map(({ symbol_uid, debug_id, debug_file }) => `${symbol_uid}  ${debug_id}  ${debug_file}`);
  return {
    data: { symbols: stored, skipped, ...(unused.length > 0 && { not_used: unused }) },
    lines:
      stored.length > 0 ? [`Uploaded ${formatCount(stored.length, 'symbol file')}:`, ...rows] : ['Nothing to upload.'],
    piped: rows,
  };
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
  const uploaded = new Set(
    (await listAll(client, buildId, context)).filter(isReadable).map(({ checksum }) => checksum),
  );
  const fresh = await skipUploaded(files, uploaded, context.signal);
  const batches = batchesOf(fresh);
  const sent: Sent = { symbols: [], not_used: [], skipped: files.length - fresh.length };
  for (const [index, batch] of batches.entries()) {
    context.output.note(describeBatch(batch.length, index, batches.length));
    const { symbols: stored, not_used: unused } = await sendBatch(client, batch, buildId, tmp, context);
    sent.symbols.push(...stored);
    sent.not_used.push(...unused);
  }
  return sent;
}

/** Lists all symbols of the build, page by page. */
async function listAll(client: Client, buildId: string, context: Context): Promise<Stored> {
  const listed: Stored = [];
  let place: { cursor?: string } = {};
  for (;;) {
    const input = { build_id: buildId, ...place };
    const { symbols: page, next_cursor: cursor } = await context.retryBriefly(() =>
      client.call(listToolSymbols, input, { signal: context.signal }),
    );
    listed.push(...page);
    // Older servers do not return a cursor.
    if (typeof cursor !== 'string') return listed;
    place = { cursor };
  }
}

/** Whether the service could read the file; an unreadable one is uploaded again. */
function isReadable({ state }: Stored[number]): boolean {
  return state !== 'unreadable';
}

async function openSymbolFile(path: string): Promise<SymbolFile> {
  const size = await checkSymbolFile(path, basename(path));
  if (extname(path).toLowerCase() !== '.sym')
    throw new LocalError(
      `${path}: is neither a .sym file nor a zip.`,
      'If it is a symbol file, rename it to end in .sym.',
    );
  return { source: path, size, entry: null };
}

async function sendBatch(
  client: Client,
  batch: readonly SymbolFile[],
  buildId: string,
  tmp: string | undefined,
  context: Context,
): Promise<Uploaded> {
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
      `${path}: is larger than ${formatBytes(SYMBOL_LIMITS.uploadBytes)}.`,
      'Unpack it and upload the folder instead, which is sent in parts.',
    );
  }
  return { ...(await send(await context.connect(), content, buildId, context)), skipped: 0 };
}

async function packageOf(path: string): Promise<Package> {
  return { path, filename: basename(path), ...(await hashFile(path)) };
}

/** Retried if the response is lost, because uploading the same symbols twice is harmless. */
async function send(client: Client, file: Package, buildId: string, context: Context): Promise<Uploaded> {
  const progress = startProgress('uploading', context.output, context.env);
  const fields = { build_id: buildId, checksum: file.sha256 };
  const attempt = () => {
    const onSent = (sent: number) => progress.update(sent, file.size);
    const { form, headers } = multipartBody(fields, { ...file, start: 0, end: file.size }, onSent);
    return client.send(uploadSymbols, form, { headers, signal: context.signal });
  };
  const { symbols: stored, not_used: unused } = await retry(context.retryOptions, attempt).finally(progress.finish);
  // Older servers keep the last file of a module.
  return { symbols: stored, not_used: unused ?? [] };
}

function describeBatch(files: number, index: number, batches: number): string {
  if (batches === 1) return `Uploading ${formatCount(files, 'symbol file')}.`;
  return `Uploading ${formatCount(files, 'symbol file')} (part ${index + 1} of ${batches}).`;
}
