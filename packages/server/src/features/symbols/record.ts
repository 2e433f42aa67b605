// Adds stored symbol texts to a build: rows and jobs in one transaction, and each text only once per game.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { type Build, orDeletedBuild } from '../builds/builds.ts';
import { enforceQuota } from '../usage/usage.ts';
import { recordFailure } from './store-failure.ts';
import { dropBlobs, formatFileName, type StoredText } from './store-text.ts';
import * as symbols from './symbols.sql.ts';
import { enqueueArrived, enqueueCompile } from './symbols.ts';

/**
 * Returns the symbols of these texts. Throws 4049 if two different texts belong to the same module, and 5020. Blobs of
 * texts that the game already has are deleted. After an error other than 4049 the rows may exist, so the blobs are left
 * to the sweep.
 */
export async function recordSymbols(
  ctx: Context,
  { build, keyRef, texts }: { build: Build; keyRef: string; texts: readonly StoredText[] },
): Promise<symbols.SymbolRow[]> {
  const keys = texts.map(({ blobKey }) => blobKey);
  const byModule = groupByModule(texts);
  if (byModule instanceof ApiError) {
    await dropBlobs(ctx, keys);
    throw byModule;
  }
  const recorded = await transact(ctx.db, async (tx) => {
    const inserted = await insert(tx, build, keyRef, byModule);
    if (inserted.keys.size > 0) await enforceQuota(ctx, tx, build.game_id);
    return inserted;
  }).catch(async (cause) => {
    const error = orDeletedBuild(cause);
    // After this error nothing was recorded.
    if (error instanceof ApiError) await dropBlobs(ctx, keys);
    throw recordFailure(error);
  });
  await dropBlobs(
    ctx,
    keys.filter((key) => !recorded.keys.has(key)),
  );
  return recorded.rows;
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
      return new ApiError(
        4049,
        `${names} are different symbol files for the same module and debug id. Send only one of them.`,
      );
    }
  }
  return [...byModule.values()];
}

async function insert(tx: Tx, { game_id: gameId, build_id: buildId }: Build, keyRef: string, texts: StoredText[]) {
  await symbols.lockSymbols(tx, gameId);
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
  for (const { debug_file: debugFile, debug_id: debugId } of rows.filter(({ state }) => state === 'compiled'))
    await enqueueArrived(tx, { gameId, debugFile, debugId });
  const keys = new Set(
    [...byChecksum.values()].filter(({ checksum }) => insertedChecksums.has(checksum)).map((t) => t.blobKey),
  );
  return { rows, keys };
}
