// Adds stored symbols to a build: rows and jobs in one transaction, and each text only once per game. A native file that
// was converted for any build of the game is not converted again.
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { Os } from '@chauffeur/contract/identity';
import type { Context } from '../../context.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { orDeletedBuild } from '../../ship/builds/builds.ts';
import { enforceQuota } from '../../ship/usage/usage.ts';
import { mappingsOfBuild } from './mappings/mappings.sql.ts';
import { insertMappings, type StoredMapping } from './mappings/store-mapping.ts';
import { formatPoorer, hasMoreUnwind, replaces, unwindNameOf } from './module-facts.ts';
import * as native from './native.sql.ts';
import type { StoredNative } from './store-native.ts';
import { asStoreFailure, dropSymbolBlobs, formatFileName, type StoredText, toShownName } from './store-text.ts';
import type { SymbolOwner, SymbolRow } from './symbol-rows.ts';
import * as symbols from './symbols.sql.ts';
import { enqueueArrived, enqueueCompile, enqueueConvert } from './symbols.ts';

/** A file that is not used because the build has a richer one of its module. */
type PoorerFile = {
  /** Its name in the upload. */
  readonly file: string;
  readonly debug_file: string;
  readonly debug_id: string;
  readonly kept_symbol_uid: string;
  readonly reason: string;
};
type Recorded = { readonly rows: readonly SymbolRow[]; readonly poorer: PoorerFile[] };

/** Symbols to record. */
type Batch = {
  readonly owner: SymbolOwner;
  readonly keyRef: string;
  readonly texts: readonly StoredText[];
  readonly natives: readonly StoredNative[];
  readonly mappings?: readonly StoredMapping[];
  /** The native file that the texts were made of. Its row is deleted. */
  readonly converted?: { readonly nativeUid: string; readonly blobKey: string; readonly checksum: string };
};

/**
 * Records the texts unless the build has richer ones. Returns their symbols, and the files that are not used. Throws
 * `notSymbols` if two different texts belong to the same module, and `symbolsNotStored`. Blobs of texts that the game
 * already has are deleted. After an error other than `notSymbols` the rows may exist, so the blobs are left to the
 * sweep.
 */
export async function recordSymbols(ctx: Context, batch: Batch): Promise<Recorded> {
  const { owner, texts, natives, mappings = [] } = batch;
  const keys = [...texts, ...natives, ...mappings].map(({ blobKey }) => blobKey);
  const byModule = groupByModule(texts);
  if (byModule instanceof ApiError) {
    await dropSymbolBlobs(ctx, keys);
    throw byModule;
  }
  const recorded = await transact(ctx.db, async (tx) => {
    const inserted = await insert(tx, batch, byModule);
    if (inserted.keys.size > 0) await enforceQuota(ctx, tx, owner.game_id);
    return inserted;
  }).catch(async (cause) => {
    const error = orDeletedBuild(cause);
    // An ApiError means that nothing was recorded.
    if (error instanceof ApiError) await dropSymbolBlobs(ctx, keys);
    throw asStoreFailure(error);
  });
  await dropSymbolBlobs(
    ctx,
    keys.filter((key) => !recorded.keys.has(key)),
  );
  return recorded;
}

/** Keeps one text per module. The same text may occur twice, such as for a library that a game ships in two places. */
function groupByModule(texts: readonly StoredText[]): StoredText[] | ApiError {
  const byModule = new Map<string, StoredText>();
  for (const text of texts) {
    const { debugFile, debugId } = text.module;
    const key = `${debugId}/${debugFile.toLowerCase()}`;
    const other = byModule.get(key);
    if (other === undefined) byModule.set(key, text);
    else if (other.checksum !== text.checksum) return errors.notSymbols(describeConflict(other, text));
  }
  return [...byModule.values()];
}

/** Both have the same module and debug id. The parts of a universal binary have one name. */
function describeConflict(first: StoredText, second: StoredText): string {
  const [name, other] = [formatFileName(first.name), formatFileName(second.name)];
  if (name === other)
    return `${name} has different symbols with the same debug id, such as for two architectures. Send only one of them, or link each with its own UUID.`;
  return `${name} and ${other} are different symbol files for the same module and debug id. Send only one of them.`;
}

/** A text of this upload, or one that was made of a native file of it for another build. */
type NewText = StoredText & { readonly nativeChecksum: string | null };

async function insert(
  tx: Tx,
  { owner: of, keyRef, natives, mappings = [], converted }: Batch,
  uploaded: readonly StoredText[],
) {
  const { game_id: gameId, build_id: buildId } = of;
  const owner = { gameId, buildId, keyRef };
  await symbols.lockSymbols(tx, gameId);
  // A file that was deleted during its conversion leaves nothing behind.
  if (converted !== undefined && !(await native.deleteConverted(tx, gameId, converted)))
    return { rows: [], keys: new Set<string>(), poorer: [] };
  const known = await findKnown(tx, gameId, natives);
  const nativeChecksum = converted?.checksum ?? null;
  const kept = new Map<string, NewText>();
  const insertedChecksums = new Set<string>();
  const poorer: PoorerFile[] = [];
  // Files that were converted for different builds can have the same module, so each is recorded on its own.
  for (const batch of [uploaded.map((text) => ({ ...text, nativeChecksum })), ...known.texts.map((text) => [text])]) {
    const chosen = await keepRicher(tx, of, batch);
    // The statement fails on duplicates. Two modules should never have the same text, because the text contains the
    // module.
    const byChecksum = new Map(chosen.texts.map((text) => [text.checksum, text]));
    for (const checksum of await symbols.insertTexts(tx, gameId, [...byChecksum.values()]))
      insertedChecksums.add(checksum);
    await symbols.upsertSymbols(
      tx,
      owner,
      chosen.texts.map(({ module, ...text }) => ({ ...module, ...text, symbolUid: newId() })),
    );
    for (const text of chosen.texts) kept.set(text.checksum, text);
    poorer.push(...chosen.poorer);
  }
  const waiting = await insertWaiting(tx, owner, known.unknown);
  const mapped = await insertMappings(tx, gameId, keyRef, mappings);
  const rows = await symbols.symbolsOfTexts(tx, gameId, buildId, [...kept.keys()]);
  for (const checksum of insertedChecksums) await enqueueCompile(tx, gameId, checksum);
  // Texts that are already compiled get no compile job, but reports of this build may have been processed without them.
  for (const symbol of rows.filter(({ state }) => state === 'compiled')) await enqueueArrived(tx, gameId, symbol);
  const used = [...kept.values()].filter(({ checksum }) => insertedChecksums.has(checksum));
  const mappedKeys = mapped.flatMap(({ blob_key: key }) => key ?? []);
  const keys = new Set([...used.map(({ blobKey }) => blobKey), ...waiting.keys, ...mappedKeys]);
  const uids = mapped.map(({ mapping_uid: uid }) => uid);
  const mappedRows = uids.length === 0 ? [] : await mappingsOfBuild(tx, gameId, buildId, uids);
  return { rows: [...rows, ...waiting.rows, ...mappedRows], keys, poorer };
}

/** Finds the texts that were already made of these files. `unknown` are the other files, each once. */
async function findKnown(tx: Tx, gameId: string, natives: readonly StoredNative[]) {
  const byChecksum = new Map(natives.map((file) => [file.checksum, file]));
  const found = await native.textsOfNatives(tx, gameId, [...byChecksum.keys()]);
  const texts = found.map(
    ({
      native_checksum: nativeChecksum,
      debug_file: debugFile,
      debug_id: debugId,
      code_id: codeId,
      ...text
    }): NewText => {
      const { os, cpu, checksum, size, stored_size: storedSize, blob_key: blobKey } = text;
      const { functions, detail, records, unwind } = text;
      const module = { debugFile, debugId, codeId, os: os as Os, cpu };
      const { name } = byChecksum.get(nativeChecksum)!;
      const stored = { checksum, size, storedSize, blobKey, nativeChecksum };
      return { module, name, ...stored, functions, detail, records, unwind };
    },
  );
  const known = new Set(texts.map(({ nativeChecksum }) => nativeChecksum));
  return { texts, unknown: [...byChecksum.values()].filter(({ checksum }) => !known.has(checksum)) };
}

/** Adds native files that have to be converted. Returns their rows, and the keys of the blobs that are kept. */
async function insertWaiting(
  tx: Tx,
  owner: { gameId: string; buildId: string | null; keyRef: string },
  natives: readonly StoredNative[],
) {
  if (natives.length === 0) return { rows: [], keys: [] };
  const { gameId, buildId } = owner;
  const files = natives.map((file) => ({ ...file, nativeUid: newId() }));
  const inserted = await native.insertNatives(tx, owner, files);
  for (const { native_uid: nativeUid } of inserted) await enqueueConvert(tx, gameId, nativeUid);
  const checksums = natives.map(({ checksum }) => checksum);
  return {
    rows: await native.nativesOfBuild(tx, gameId, buildId, checksums),
    keys: inserted.map(({ blob_key }) => blob_key),
  };
}

/**
 * Chooses the texts that the build keeps: for each module the richer one, and another that has more unwind rules.
 * Two concurrent uploads wait for each other, so the same files are kept in whichever order they come.
 */
async function keepRicher(tx: Tx, { game_id: gameId, build_id: buildId }: SymbolOwner, all: readonly NewText[]) {
  const keyOf = (fileName: string, debugId: string) => `${debugId}/${fileName.toLowerCase()}`;
  const existing = await symbols.textsOfModules(
    tx,
    gameId,
    buildId,
    all.flatMap(({ module }) => [module, { ...module, debugFile: unwindNameOf(module.debugFile) }]),
  );
  const byModule = new Map(existing.map((text) => [keyOf(text.file_name, text.debug_id), text]));
  const texts: NewText[] = [];
  const poorer: PoorerFile[] = [];
  for (const text of all) {
    const { debugFile, debugId } = text.module;
    const unwindName = unwindNameOf(debugFile);
    const kept = byModule.get(keyOf(debugFile, debugId));
    const extra = byModule.get(keyOf(unwindName, debugId));
    if (kept === undefined || kept.checksum === text.checksum) texts.push(text);
    else if (replaces(text, kept)) {
      texts.push(text);
      if (hasMoreUnwind(kept, text) && !hasMoreUnwind(extra, kept))
        await symbols.renameSymbol(tx, gameId, buildId, { symbolUid: kept.symbol_uid, debugFile: unwindName, debugId });
    } else if (hasMoreUnwind(text, kept) && !hasMoreUnwind(extra, text))
      texts.push({ ...text, module: { ...text.module, debugFile: unwindName } });
    else {
      const reason = formatPoorer(text, kept);
      poorer.push({
        file: toShownName(text.name),
        debug_file: debugFile,
        debug_id: debugId,
        kept_symbol_uid: kept.symbol_uid,
        reason,
      });
    }
  }
  if (poorer.length > 0)
    await symbols.markPoorer(
      tx,
      gameId,
      poorer.map(({ kept_symbol_uid: uid }) => uid),
    );
  return { texts, poorer };
}
