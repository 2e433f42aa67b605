// Lists the symbols that the service has of a build, and uploads others.
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listToolSymbols, uploadSymbols } from '@chauffeur/contract/operations/symbols';
import type { Context } from '../context.ts';
import { formatCount } from '../output.ts';
import { startProgress } from '../progress.ts';
import { retry } from '../retry.ts';
import { hashFile, multipartBody } from '../upload/multipart.ts';
import type { Entry } from '../zip/entries.ts';
import { zipEntries } from '../zip/zip.ts';
import { batchesOf, SYMBOL_LIMITS } from './batches.ts';

export type Uploaded = Pick<OutputOf<typeof uploadSymbols>, 'symbols' | 'not_used'>;
export type Stored = Uploaded['symbols'][number];
/** `name` is its path in the upload. */
export type SymbolFile = {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  /** Whether its folder matters, as that of a script. */
  readonly isAtPath?: boolean;
};
type Package = { path: string; filename: string; size: number; sha256: string };

/** Lists all symbols of the build, page by page. */
export async function listSymbols(client: Client, buildId: string, context: Context): Promise<Stored[]> {
  const listed: Stored[] = [];
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

/** Uploads files in as few parts as the limits of the service allow. `temp` is a folder for zips. */
export async function uploadFiles(
  client: Client,
  files: readonly SymbolFile[],
  buildId: string,
  temp: string,
  context: Context,
): Promise<Uploaded> {
  const batches = batchesOf(files);
  const sent: Uploaded = { symbols: [], not_used: [] };
  for (const [index, batch] of batches.entries()) {
    context.output.note(describeBatch(batch.length, index, batches.length));
    const file = await pack(batch, join(temp, `symbols-${index}.zip`), context.signal);
    const { symbols: stored, not_used: unused } = await send(client, file, buildId, context);
    sent.symbols.push(...stored);
    sent.not_used.push(...unused);
  }
  return sent;
}

/** A single file is sent as it is, unless its folder matters. */
async function pack(batch: readonly SymbolFile[], zip: string, signal: AbortSignal): Promise<Package> {
  const [first] = batch;
  if (first !== undefined && batch.length === 1 && !first.isAtPath)
    return { path: first.path, filename: basename(first.name), ...(await hashFile(first.path)) };
  const entries = await Promise.all(uniquelyNamed(batch).map(entryOf));
  const { size, sha256 } = await zipEntries(entries, zip, { signal, maxBytes: SYMBOL_LIMITS.uploadBytes });
  return { path: zip, filename: 'symbols.zip', size, sha256 };
}

/** Several folders can have files of the same name. */
function uniquelyNamed(files: readonly SymbolFile[]): SymbolFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    let { name } = file;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${number}/${file.name}`;
    taken.add(name.toLowerCase());
    return { ...file, name };
  });
}

async function entryOf({ path, name, size }: SymbolFile): Promise<Entry> {
  const { mtimeMs } = await stat(path);
  return {
    ...{ path: name, name: Buffer.from(name), kind: 'file', source: path, size, mtimeMs },
    ...{ executable: false, target: '' },
  };
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
