// The thread behind `readDump`, `readEventStack` and `regroupStack`: walks a dump or the stack of an event with the
// available symbols, or groups a stored report again.
import { buffer } from 'node:stream/consumers';
import { KIB, MIB } from '@chauffeur/contract/limits';
import { MinidumpError } from '@chauffeur/minidump/error';
import { Minidump } from '@chauffeur/minidump/minidump';
import { type WalkedReport, walkMinidump } from '@chauffeur/minidump/process';
import type { Report } from '@chauffeur/minidump/report';
import { MODULES } from '@chauffeur/minidump/streams/modules';
import type { ModuleId, ModuleSymbols } from '@chauffeur/minidump/symbols/module-symbols';
import { openBlobStore } from '../../../kernel/blobs/open.ts';
import { freeUnpacked, isPacked, packNow, readUnpacked, unpackNow } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError, type BlobStore } from '../../../kernel/blobs/store.ts';
import { serveTasks } from '../../../kernel/threads/thread-pool.ts';
import { groupReport } from '../groups/grouping.ts';
import { isNativeEvent, readStoredEvent } from '../report/event.ts';
import { decodeText, tailStartOf } from '../report/log-text.ts';
import { withoutPrivatePaths } from '../report/paths.ts';
import { findTracedText, type TracedText } from '../text/find-trace.ts';
import { modulesOfEvent, walkEvent } from './event-stack.ts';
import { excerptOf, formatModule, parseStoredReport } from './excerpt.ts';
import { hasId, moduleKey, StoredSymbols } from './stored-symbols.ts';
import type {
  AddressedPlace,
  PreviewedGrouping,
  StoredLog,
  SymbolReply,
  SymbolRequest,
  WalkInput,
  WalkOutput,
} from './walk.ts';

type RequestSymbols = (request: SymbolRequest) => Promise<SymbolReply>;

/** The limit of each thread, for the page of the report. The stackwalk limits the total. */
const STACK_MEMORY_BYTES = 4 * KIB;
/** A malicious dump may name more modules. */
const MAX_MODULES = 4096;
/** The last error of a log is near its end. */
const LOG_TAIL_BYTES = 256 * KIB;

let store: BlobStore | undefined;

serveTasks<WalkInput, WalkOutput, SymbolRequest, SymbolReply>(async (input, requestSymbols) => {
  // All tasks of a thread come from one server, and so use the same store.
  store ??= openBlobStore(input.blobSettings);
  return run(store, input, requestSymbols);
});

async function run(blobs: BlobStore, input: WalkInput, requestSymbols: RequestSymbols): Promise<WalkOutput> {
  try {
    if (input.task === 'walk') return await walk(blobs, input, requestSymbols);
    if (input.task === 'event') return await walkStoredEvent(blobs, input, requestSymbols);
    if (input.task === 'log') return { outcome: 'read', traced: await readLog(blobs, input) };
    if (input.task === 'places') return await findPlaces(input.places, requestSymbols);
    return input.task === 'group' ? await regroup(blobs, input) : await preview(blobs, input);
  } catch (error) {
    if (error instanceof MinidumpError)
      return { outcome: 'unreadable', reason: `The dump cannot be read: ${error.message}` };
    if (error instanceof BlobMissingError)
      return { outcome: 'missing', reason: `The stored ${input.task === 'event' ? 'event' : 'dump'} is gone.` };
    throw error;
  }
}

async function walk(
  blobs: BlobStore,
  input: WalkInput & { task: 'walk' },
  requestSymbols: RequestSymbols,
): Promise<WalkOutput> {
  if (input.space !== undefined)
    return walkDump(blobs, Buffer.from(input.space, 0, input.dumpSize), input, requestSymbols);
  const stored = await readBlob(blobs, input.dumpKey);
  if (!isPacked(input.dumpKey)) return walkDump(blobs, stored, input, requestSymbols);
  const dump = unpackNow(stored, input.dumpSize, input.dumpSize);
  try {
    return await walkDump(blobs, dump, input, requestSymbols);
  } finally {
    // Otherwise V8 would collect the whole heap every few dumps.
    freeUnpacked(dump);
  }
}

async function walkDump(
  blobs: BlobStore,
  dump: Buffer,
  input: WalkInput & { task: 'walk' },
  requestSymbols: RequestSymbols,
): Promise<WalkOutput> {
  return keepStack(blobs, input, modulesOf(new Minidump(dump).stream(MODULES) ?? []), requestSymbols, (symbols) =>
    walkMinidump(dump, { symbols, limits: { stackMemory: STACK_MEMORY_BYTES } }),
  );
}

async function walkStoredEvent(
  blobs: BlobStore,
  input: WalkInput & { task: 'event' },
  requestSymbols: RequestSymbols,
): Promise<WalkOutput> {
  const event = await readStoredEvent(blobs, input.event);
  if (event === null || !isNativeEvent(event))
    return { outcome: 'unreadable', reason: 'The event has no native stack.' };
  return keepStack(blobs, input, modulesOf(modulesOfEvent(event)), requestSymbols, (symbols) =>
    walkEvent(event, symbols),
  );
}

async function findPlaces(places: readonly AddressedPlace[], requestSymbols: RequestSymbols): Promise<WalkOutput> {
  const modules = modulesOf(places.map(({ module }) => module));
  const symbols = new StoredSymbols(modules, modules.length === 0 ? [] : await requestSymbols(modules));
  const missing = new Set<string>();
  try {
    const code = places.map(({ module, offset }) => {
      const found = findReadable(symbols, module);
      if (found === undefined) missing.add(formatModule(module) ?? '');
      const place = found?.placeAt(offset);
      if (place?.function === undefined) return null;
      const { function: name, file, line, inlines } = place;
      return [...inlines.map((inline) => ({ ...inline })), { function: name, file, line }];
    });
    return { outcome: 'placed', code, missing: [...missing].filter(Boolean) };
  } finally {
    symbols.close();
  }
}

/** Undefined for symbols that are missing or can't be read. */
function findReadable(symbols: StoredSymbols, module: ModuleId): ModuleSymbols | undefined {
  try {
    return symbols.find(module);
  } catch (error) {
    if (error instanceof MinidumpError) return undefined;
    throw error;
  }
}

/** Walks a stack with the symbols of these modules, and stores it. */
async function keepStack(
  blobs: BlobStore,
  { stackKey, fields, rules }: WalkInput & { task: 'walk' | 'event' },
  modules: SymbolRequest,
  requestSymbols: RequestSymbols,
  walkWith: (symbols: StoredSymbols) => WalkedReport,
): Promise<WalkOutput> {
  const symbols = new StoredSymbols(modules, modules.length === 0 ? [] : await requestSymbols(modules));
  let walked: WalkedReport;
  try {
    walked = withoutPrivatePaths(walkWith(symbols));
  } finally {
    symbols.close();
  }
  const { grouping, signature } = groupReport(walked, fields, rules);
  const report: Report = { ...walked, signature };
  const packed = packNow(Buffer.from(JSON.stringify(report)));
  await blobs.putWhole(stackKey, packed);
  freeUnpacked(packed);
  return { outcome: 'walked', excerpt: excerptOf(report, symbols.partial), grouping };
}

/**
 * A buffer that is reused for each dump. If every dump allocated its own, V8 would collect the whole heap every few
 * dumps.
 */
let reused: Buffer = Buffer.alloc(0);
/** Larger dumps are rare and get their own memory. */
const MAX_REUSED = 8 * MIB;

/** The bytes of the blob, valid until the next call. */
async function readBlob(blobs: BlobStore, key: string): Promise<Buffer> {
  let into: Buffer = reused;
  const size = await blobs.readWhole(key, (bytes) => {
    if (bytes > into.length) into = enlarge(into, bytes);
    return into;
  });
  if (into.length <= MAX_REUSED) reused = into;
  return into.subarray(0, size);
}

function enlarge(bytes: Buffer, minSize: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(minSize, 2 * bytes.length, MIB));
  larger.set(bytes);
  return larger;
}

/** The modules that can have symbols, each once. */
function modulesOf(modules: SymbolRequest): SymbolRequest {
  const distinct = new Map<string, SymbolRequest[number]>();
  for (const { debugFile, debugId, codeFile, codeId } of modules) {
    if (distinct.size === MAX_MODULES) break;
    const module = { debugFile, debugId, codeFile, codeId };
    if (hasId(module)) distinct.set(moduleKey(module), module);
  }
  return [...distinct.values()];
}

/** The end of a log, which is all that says how the program ended. */
async function readLog(blobs: BlobStore, { logKey, logSize }: StoredLog): Promise<TracedText | null> {
  if (logSize === 0) return null;
  const range = { start: tailStartOf(logSize, LOG_TAIL_BYTES), end: logSize - 1 };
  return findTracedText(decodeText(await buffer(await readUnpacked(blobs, logKey, range))), 'last');
}

async function regroup(
  blobs: BlobStore,
  { stackKey, fields, rules }: WalkInput & { task: 'group' },
): Promise<WalkOutput> {
  const report = parseStoredReport(stackKey, await readBlob(blobs, stackKey));
  return { outcome: 'walked', excerpt: excerptOf(report), grouping: groupReport(report, fields, rules).grouping };
}

async function preview(blobs: BlobStore, { stacks, rules }: WalkInput & { task: 'preview' }): Promise<WalkOutput> {
  const groupings: (PreviewedGrouping | null)[] = [];
  for (const { stackKey, fields } of stacks) {
    try {
      const report = parseStoredReport(stackKey, await readBlob(blobs, stackKey));
      const { key, title } = groupReport(report, fields, rules).grouping;
      groupings.push({ key: Buffer.from(key).toString('hex'), title });
    } catch (error) {
      if (!(error instanceof MinidumpError || error instanceof BlobMissingError)) throw error;
      groupings.push(null);
    }
  }
  return { outcome: 'previewed', groupings };
}
