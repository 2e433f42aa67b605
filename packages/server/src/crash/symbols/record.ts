// Adds stored symbol texts to a build: rows and jobs in one transaction, and each text only once per game.
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { type Build, orDeletedBuild } from '../../ship/builds/builds.ts';
import { enforceQuota } from '../../ship/usage/usage.ts';
import { formatPoorer, replaces } from './module-facts.ts';
import { asStoreFailure, dropSymbolBlobs, formatFileName, type StoredText, toShownName } from './store-text.ts';
import * as symbols from './symbols.sql.ts';
import { enqueueArrived, enqueueCompile } from './symbols.ts';

/** A file that is not used because the build has a richer one of its module. */
type PoorerFile = {
  /** Its name in the upload. */
  readonly file: string;
  readonly debug_file: string;
  readonly debug_id: string;
  readonly kept_symbol_uid: string;
  readonly reason: string;
};
type Recorded = { readonly rows: readonly symbols.SymbolRow[]; readonly poorer: PoorerFile[] };

/**
 * Records the texts unless the build has richer ones. Returns their symbols, and the files that are not used. Throws
 * `notSymbols` if two different texts belong to the same module, and `symbolsNotStored`. Blobs of texts that the game
 * already has are deleted. After an error other than `notSymbols` the rows may exist, so the blobs are left to the
 * sweep.
 */
export async function recordSymbols(
  ctx: Context,
  { build, keyRef, texts }: { build: Build; keyRef: string; texts: readonly StoredText[] },
): Promise<Recorded> {
  const keys = texts.map(({ blobKey }) => blobKey);
  const byModule = groupByModule(texts);
  if (byModule instanceof ApiError) {
    await dropSymbolBlobs(ctx, keys);
    throw byModule;
  }
  const recorded = await transact(ctx.db, async (tx) => {
    const inserted = await insert(tx, build, keyRef, byModule);
    if (inserted.keys.size > 0) await enforceQuota(ctx, tx, build.game_id);
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
    else if (other.checksum !== text.checksum) {
      const names = `${formatFileName(other.name)} and ${formatFileName(text.name)}`;
      return errors.notSymbols(
        `${names} are different symbol files for the same module and debug id. Send only one of them.`,
      );
    }
  }
  return [...byModule.values()];
}

async function insert(tx: Tx, build: Build, keyRef: string, all: StoredText[]) {
  const { game_id: gameId, build_id: buildId } = build;
  await symbols.lockSymbols(tx, gameId);
  const { texts, poorer } = await keepRicher(tx, build, all);
  // The statement fails on duplicates. Two modules should never have the same text, because the text contains the
  // module.
  const byChecksum = new Map(texts.map((text) => [text.checksum, text]));
  const insertedChecksums = await symbols.insertTexts(tx, gameId, [...byChecksum.values()]);
  await symbols.upsertSymbols(
    tx,
    { gameId, buildId, keyRef },
    texts.map(({ module, checksum }) => ({ ...module, checksum, symbolUid: newId() })),
  );
  const rows = await symbols.symbolsOfTexts(tx, gameId, buildId, [...byChecksum.keys()]);
  for (const checksum of insertedChecksums) await enqueueCompile(tx, gameId, checksum);
  // Texts that are already compiled get no compile job, but reports of this build may have been processed without them.
  for (const symbol of rows.filter(({ state }) => state === 'compiled')) await enqueueArrived(tx, gameId, symbol);
  const keys = new Set(
    [...byChecksum.values()].filter(({ checksum }) => insertedChecksums.has(checksum)).map((t) => t.blobKey),
  );
  return { rows, keys, poorer };
}

/** Two concurrent uploads wait for each other, so the richer file is kept whichever comes first. */
async function keepRicher(tx: Tx, { game_id: gameId, build_id: buildId }: Build, all: StoredText[]) {
  const keyOf = (fileName: string, debugId: string) => `${debugId}/${fileName}`;
  const existing = await symbols.textsOfModules(
    tx,
    gameId,
    buildId,
    all.map(({ module }) => module),
  );
  const byModule = new Map(existing.map((text) => [keyOf(text.file_name, text.debug_id), text]));
  const texts: StoredText[] = [];
  const poorer: PoorerFile[] = [];
  for (const text of all) {
    const { debugFile, debugId } = text.module;
    const kept = byModule.get(keyOf(debugFile.toLowerCase(), debugId));
    if (kept === undefined || kept.checksum === text.checksum || replaces(text, kept)) texts.push(text);
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
