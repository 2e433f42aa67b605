// `chauffeur symbols`: uploads Breakpad symbols for a build.
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import type { OutputOf } from '@chauffeur/contract/operation';
import { uploadSymbols } from '@chauffeur/contract/operations/symbols';
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { checkBuildId } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { sizeText } from '../output.ts';
import type { Act, Handler } from '../program.ts';
import { startProgress } from '../progress.ts';
import { persist } from '../retry.ts';
import { batchesOf, checkSymbolFile, findSymbolFiles, SYMBOL_LIMITS } from '../symbols/collect.ts';
import { withTempFolder } from '../temp.ts';
import { hashFile } from '../upload/hash-file.ts';
import { multipartBody } from '../upload/multipart.ts';
import type { Entry } from '../zip/entries.ts';
import { zipEntries } from '../zip/zip.ts';

type Options = { buildId: string; tmp?: string };
type Stored = OutputOf<typeof uploadSymbols>['symbols'];
type Package = { path: string; filename: string; size: number; sha256: string };

const UPLOAD_TRIES = 6;

export function symbolsCommand(act: Act): Command {
  return new Command('symbols')
    .description('upload Breakpad .sym files for a build')
    .argument('<path>', 'a folder of .sym files, one .sym file, or a zip of them')
    .requiredOption('--build-id <id>', 'the build they belong to, as chauffeur build printed it')
    .option('--tmp <folder>', 'where zips are kept meanwhile (default: the system’s temporary folder)')
    .addHelpText('after', '\nExample:\n  $ chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" build/symbols')
    .action(act(symbols));
}

const symbols: Handler<Options> = async (context, { buildId, tmp }, path) => {
  checkBuildId(buildId);
  const found = await stat(path ?? '').catch(() => null);
  if (found === null) throw new LocalError(`${path}: does not exist.`, 'Give a folder, a .sym file or a zip.');
  const stored = found.isDirectory()
    ? await sendFolder(path ?? '', buildId, tmp, context)
    : await sendFile(path ?? '', buildId, context);
  const lines = stored.map((symbol) => `${symbol.symbol_uid}  ${symbol.debug_id}  ${symbol.module}`);
  return { data: { symbols: stored }, lines };
};

async function sendFolder(folder: string, buildId: string, tmp: string | undefined, context: Context): Promise<Stored> {
  const files = await findSymbolFiles(folder, context.signal);
  const batches = batchesOf(files);
  const client = await context.connect();
  const stored: Stored = [];
  for (const [index, batch] of batches.entries()) {
    const count = batches.length > 1 ? ` (part ${index + 1} of ${batches.length})` : '';
    context.output.note(`Sending ${batch.length} symbol file${batch.length > 1 ? 's' : ''}${count}.`);
    stored.push(...(await sendBatch(client, batch, buildId, tmp, context)));
  }
  return stored;
}

async function sendBatch(client: Client, batch: Entry[], buildId: string, tmp: string | undefined, context: Context) {
  const [first] = batch;
  if (first !== undefined && batch.length === 1) {
    return send(client, await packageOf(first.source), buildId, context);
  }
  return withTempFolder(tmp, async (folder) => {
    const path = join(folder, 'symbols.zip');
    const options = { signal: context.signal, maxBytes: SYMBOL_LIMITS.uploadBytes };
    const { size, sha256 } = await zipEntries(batch, path, options);
    return send(client, { path, filename: 'symbols.zip', size, sha256 }, buildId, context);
  });
}

async function sendFile(path: string, buildId: string, context: Context): Promise<Stored> {
  const kind = extname(path).toLowerCase();
  if (kind !== '.sym' && kind !== '.zip') {
    throw new LocalError(`${path}: is neither a .sym file nor a zip.`, 'Make .sym files with dump_syms.');
  }
  if (kind === '.sym') await checkSymbolFile(path, basename(path));
  const content = await packageOf(path);
  if (content.size > SYMBOL_LIMITS.uploadBytes) {
    throw new LocalError(
      `${path}: is larger than ${sizeText(SYMBOL_LIMITS.uploadBytes)}.`,
      `Give the folder ${dirname(path)}, which is sent in parts.`,
    );
  }
  return send(await context.connect(), content, buildId, context);
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
  const { symbols: stored } = await persist(context.patience(UPLOAD_TRIES), attempt).finally(progress.finish);
  return stored;
}
