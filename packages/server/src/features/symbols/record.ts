// Gives stored symbol texts to a build: rows and jobs in one transaction, and each text once however often it comes.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { type Tx, transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import type { Build } from '../builds/builds.ts';
import { claimRoom } from '../usage/usage.ts';
import { recordFailure } from './store-failure.ts';
import { dropBlobs, type StoredText, showName } from './store-text.ts';
import * as symbols from './symbols.sql.ts';
import { enqueueCompile, tellArrived } from './symbols.ts';

/**
 * Answers the symbols of these texts. Throws 4049 when two different texts are of one module, and 5020. The blobs of texts that
 * the game has already are removed; after an error other than 4049 the rows may be there all the same, and the sweeper finds out.
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
    if (inserted.keys.size > 0) await claimRoom(ctx, tx, build.game_id);
    return inserted;
  }).catch(async (cause) => {
    // Then nothing was recorded for certain.
    if (cause instanceof ApiError) await dropBlobs(ctx, keys);
    throw recordFailure(cause);
  });
  await dropBlobs(
    ctx,
    keys.filter((key) => !recorded.keys.has(key)),
  );
  return recorded.rows;
}

/** One text a module. The same text twice is one, such as a library’s that a game ships in two places. */
function groupByModule(texts: readonly StoredText[]): StoredText[] | ApiError {
  const found = new Map<string, StoredText>();
  for (const text of texts) {
    const { debugFile, debugId } = text.module;
    const key = `${debugId}/${debugFile.toLowerCase()}`;
    const other = found.get(key);
    if (other === undefined) found.set(key, text);
    else if (other.checksum !== text.checksum) {
      const names = `${showName(other.name)} and ${showName(text.name)}`;
      return new ApiError(
        4049,
        `${names} are two different symbol files of one module and debug id; send one of them.`,
      );
    }
  }
  return [...found.values()];
}

async function insert(tx: Tx, { game_id: gameId, build_id: buildId }: Build, keyRef: string, texts: StoredText[]) {
  await symbols.lockSymbols(tx, gameId);
  // Two modules may have one text only when a MODULE line is read in two ways, which ours is not; yet SQL would fail on it.
  const byChecksum = new Map(texts.map((text) => [text.checksum, text]));
  const taken = await symbols.insertTexts(tx, gameId, [...byChecksum.values()]);
  await symbols.upsertSymbols(
    tx,
    { gameId, buildId, keyRef },
    texts.map(({ module, checksum }) => ({ ...module, checksum, symbolUid: newId() })),
  );
  const rows = await symbols.symbolsOfTexts(tx, gameId, buildId, [...byChecksum.keys()]);
  for (const checksum of taken) await enqueueCompile(tx, gameId, checksum);
  // What is compiled already has no compilation to tell of it, and reports of this build may have been without it.
  for (const { debug_file: debugFile, debug_id: debugId } of rows.filter(({ state }) => state === 'compiled'))
    await tellArrived(tx, { gameId, debugFile, debugId });
  const keys = new Set([...byChecksum.values()].filter(({ checksum }) => taken.has(checksum)).map((t) => t.blobKey));
  return { rows, keys };
}
