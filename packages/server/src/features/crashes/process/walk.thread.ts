// The thread of `readDump` and `regroupStack`: walks a dump with what symbols there are, or groups a report that was walked before.
import { MIB } from '@chauffeur/contract/limits';
import { MinidumpError } from '@chauffeur/minidump/error';
import { Minidump } from '@chauffeur/minidump/minidump';
import { processMinidump } from '@chauffeur/minidump/process';
import type { Report } from '@chauffeur/minidump/report';
import { MODULES } from '@chauffeur/minidump/streams/modules';
import { readWhole } from '../../../kernel/blobs/filesystem.ts';
import { giveBack } from '../../../kernel/blobs/give-back.ts';
import { type BlobSettings, openBlobStore } from '../../../kernel/blobs/open.ts';
import { freeUnpacked, isPacked, packNow, unpackNow } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError, type BlobStore } from '../../../kernel/blobs/store.ts';
import { bytesOfBuffer } from '../../../kernel/byte-source.ts';
import { serveTasks } from '../../../kernel/thread-pool.ts';
import { groupReport } from '../groups/grouping.ts';
import { excerptOf } from './excerpt.ts';
import { withoutPrivatePaths } from './private-paths.ts';
import { parseStoredReport } from './stored-report.ts';
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

async function walk(blobs: BlobStore, input: WalkInput & { task: 'walk' }, ask: AskForSymbols): Promise<WalkOutput> {
  const stored = await readBlob(blobs, input.blobSettings, input.dumpKey);
  if (!isPacked(input.dumpKey)) return walkDump(blobs, stored, input, ask);
  const dump = unpackNow(stored, input.dumpSize, input.dumpSize);
  try {
    return await walkDump(blobs, dump, input, ask);
  } finally {
    // Left to V8, it would collect the whole heap every few dumps.
    freeUnpacked(dump);
  }
}

async function walkDump(
  blobs: BlobStore,
  dump: Buffer,
  { stackKey, statement }: WalkInput & { task: 'walk' },
  ask: AskForSymbols,
): Promise<WalkOutput> {
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
  await blobs.put(stackKey, bytesOfBuffer(packNow(JSON.stringify(report))));
  return { outcome: 'walked', excerpt: excerptOf(report), grouping };
}

/** Memory that one dump after the other lies in: made anew for each, it has V8 collect the whole heap every few dumps. */
let space: Buffer = Buffer.alloc(0);
/** Dumps larger than this are rare, and get memory of their own. */
const KEPT_SPACE = 8 * MIB;

/** The blob, until the next one is read. */
async function readBlob(blobs: BlobStore, settings: BlobSettings, key: string): Promise<Buffer> {
  let size = 0;
  let into: Buffer = space;
  const makeRoom = (bytes: number): Buffer => {
    if (bytes > into.length) into = enlarge(into.subarray(0, size), bytes);
    return into;
  };
  if (settings.kind === 'files') size = readWhole(settings.folder, key, makeRoom);
  else {
    for await (const piece of (await blobs.read(key)) as AsyncIterable<Buffer>) {
      makeRoom(size + piece.length).set(piece, size);
      size += piece.length;
      giveBack(piece);
    }
  }
  if (into.length <= KEPT_SPACE) space = into;
  return into.subarray(0, size);
}

function enlarge(bytes: Buffer, least: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * bytes.length, MIB));
  larger.set(bytes);
  return larger;
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

async function regroup(
  blobs: BlobStore,
  { blobSettings, stackKey, statement }: WalkInput & { task: 'group' },
): Promise<WalkOutput> {
  const report = parseStoredReport(stackKey, await readBlob(blobs, blobSettings, stackKey));
  return { outcome: 'walked', excerpt: excerptOf(report), grouping: groupReport(report, statement) };
}
