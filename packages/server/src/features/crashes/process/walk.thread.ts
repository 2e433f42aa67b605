// The thread of `readDump` and `regroupStack`: walks a dump with what symbols there are, or groups a report that was walked before.
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { MinidumpError } from '@chauffeur/minidump/error';
import { Minidump } from '@chauffeur/minidump/minidump';
import { processMinidump } from '@chauffeur/minidump/process';
import type { Report } from '@chauffeur/minidump/report';
import { MODULES } from '@chauffeur/minidump/streams/modules';
import { openBlobStore } from '../../../kernel/blobs/open.ts';
import { BlobMissingError, type BlobStore } from '../../../kernel/blobs/store.ts';
import { serveTasks } from '../../../kernel/thread-pool.ts';
import { groupReport } from '../groups/grouping.ts';
import { excerptOf } from './excerpt.ts';
import { withoutPrivatePaths } from './private-paths.ts';
import { StoredSymbols } from './stored-symbols.ts';
import type { SymbolQuestion, SymbolReply, WalkInput, WalkOutput } from './walk-task.ts';

type AskForSymbols = (question: SymbolQuestion) => Promise<SymbolReply>;

/** Modules that are asked about; a dump that was made to annoy may name more. */
const MOST_MODULES = 4096;

let store: BlobStore | undefined;

serveTasks<WalkInput, WalkOutput, SymbolQuestion, SymbolReply>(async (input, ask) => {
  // All tasks of one thread are of one service, and so of one store.
  store ??= openBlobStore(input.blobSettings);
  try {
    return input.task === 'walk' ? await walk(store, input, ask) : await regroup(store, input);
  } catch (error) {
    if (error instanceof MinidumpError)
      return { outcome: 'unreadable', reason: `The dump cannot be read: ${error.message}` };
    if (error instanceof BlobMissingError) return { outcome: 'missing', reason: 'The stored dump is gone.' };
    throw error;
  }
});

async function walk(
  blobs: BlobStore,
  { dumpKey, stackKey, statement }: WalkInput & { task: 'walk' },
  ask: AskForSymbols,
): Promise<WalkOutput> {
  const dump = await readBlob(blobs, dumpKey);
  const question = modulesOf(dump);
  const symbols = new StoredSymbols(question, question.length === 0 ? [] : await ask(question));
  let walked: Report;
  try {
    walked = withoutPrivatePaths(processMinidump(dump, { symbols }));
  } finally {
    symbols.close();
  }
  const grouping = groupReport(walked, statement);
  // Guessed frames do not make the signature here: who reads the whole report finds the same one.
  const signature = { signature: grouping.title, notes: grouping.explanation };
  const report = grouping.kind === 'stack' ? { ...walked, signature } : walked;
  const json = gzipSync(JSON.stringify(report));
  await blobs.put(stackKey, Readable.from([json]));
  return { outcome: 'walked', excerpt: excerptOf(report), grouping };
}

/** Without the copies on the way that `node:stream/consumers` makes: dumps are large, and come often. */
async function readBlob(blobs: BlobStore, key: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of await blobs.read(key)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Each module of the dump once. */
function modulesOf(dump: Uint8Array): SymbolQuestion {
  const modules = new Minidump(dump).stream(MODULES) ?? [];
  const known = new Map<string, SymbolQuestion[number]>();
  for (const { debugFile, debugId } of modules) {
    if (known.size === MOST_MODULES) break;
    if (debugFile !== '' && debugId !== '') known.set(`${debugId}/${debugFile}`, { debugFile, debugId });
  }
  return [...known.values()];
}

async function regroup(blobs: BlobStore, { stackKey, statement }: WalkInput & { task: 'group' }): Promise<WalkOutput> {
  const report = JSON.parse(gunzipSync(await readBlob(blobs, stackKey)).toString()) as Report;
  return { outcome: 'walked', excerpt: excerptOf(report), grouping: groupReport(report, statement) };
}
