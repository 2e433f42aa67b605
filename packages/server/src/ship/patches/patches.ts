// Patches: what a client with an older file downloads to get the file that a channel or a rollout offers.
//
// - Whatever changes what is offered enqueues `plan` for the game, in its own transaction. It records which pairs of files
//   are needed now, and enqueues `make` for pairs that are not made yet. It can run at any time, and as often as one
//   likes.
// - `make` makes the difference of the manifests, and then the pack. Installations make one pack at a time, so that
//   scans are not held up. A pack that isn't clearly smaller than the blocks isn't kept.
// - Pairs that nothing needs any more are deleted an hour later, because clients may be downloading them.
//
// A blob has a new key each time, and is written before its row, so a repeated job can't replace or delete the blob of
// another one. What it leaves is swept a day later.
import type { Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { HOUR } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { type Attempt, addJob, bindJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { hasRoom } from '../usage/usage.ts';
import { isPassing, makeDifference, makePatch } from './make-patch.ts';
import * as sql from './patches.sql.ts';

export const PATCHES_PREFIX = 'patches/';

type GamePayload = { gameId: string };

const planJob = defineJob<GamePayload>('patches:plan', { attempts: 6 });
const makeJob = defineJob<sql.Pair>('patches:make', {
  attempts: 6,
  lane: 'long',
  queue: 'patches',
  changes: 'builds',
});

/**
 * Call it in the transaction that changes what a game offers. The job has no key: a lock on its row could make two such
 * transactions wait for each other.
 */
export function enqueuePatches(tx: Tx, gameId: string): Promise<void> {
  return addJob(tx, planJob, { gameId });
}

export const planBinding = bindJob(planJob, planPatches);
export const makeBinding = bindJob(makeJob, makePair);

/** Scans come first. */
const PRIORITY = 10;

export async function planPatches(ctx: Context, { gameId }: GamePayload): Promise<void> {
  await transact(ctx.db, async (tx) => {
    await sql.lockPairs(tx, gameId);
    await sql.updateWanted(tx, gameId, ctx.clock.now(), isOn(ctx));
    for (const { file_id: fileId, from_file_id: fromFileId, rank } of await sql.listWaiting(tx, gameId))
      await addJob(
        tx,
        makeJob,
        { gameId, fileId, fromFileId },
        `patches:make/${fileId}/${fromFileId}`,
        PRIORITY + rank,
      );
  });
}

function isOn({ config }: Context): boolean {
  return config.patchMb > 0;
}

/** Plans for all games: channels expire, and a game may have room again. */
export const planAllJob = defineJob('patches:plan-all', { attempts: 3, cron: '37 4 * * *', lane: 'long' }, planAll);

export async function planAll(ctx: Context): Promise<void> {
  for (const gameId of await sql.listGames(ctx.db))
    await transact(ctx.db, async (tx) => {
      await sql.retryWithoutRoom(tx, gameId);
      await enqueuePatches(tx, gameId);
    });
}

/** More tries than this end with the process, so that it is probably the reason. */
const MAX_TRIES = 3;
/** How often a running job looks whether its result is still needed. */
const LOOK_MS = 5000;
/** A pack is kept if it has at most this share of the bytes of the blocks. */
const MAX_SHARE = 0.8;

export async function makePair(ctx: Context, pair: sql.Pair, attempt: Attempt): Promise<void> {
  const row = isOn(ctx) ? await sql.beginMaking(ctx.db, pair) : undefined;
  if (row === undefined) return;
  if (row.tries > MAX_TRIES) return sql.setNone(ctx.db, pair, 'failed');
  const gone = new AbortController();
  const look = setInterval(() => {
    sql.isStillWanted(ctx.db, pair).then(
      (isWanted) => isWanted || gone.abort(),
      () => undefined,
    );
  }, LOOK_MS);
  try {
    await makeAll(ctx, pair, row, AbortSignal.any([attempt.signal, gone.signal]));
  } catch (error) {
    if (gone.signal.aborted || !(await sql.isStillWanted(ctx.db, pair))) return;
    if (attempt.signal.aborted || isPassing(error)) {
      await sql.forgetTry(ctx.db, pair);
      throw error;
    }
    ctx.log.warn({ err: error, ...pair }, 'a patch could not be made');
    await sql.setNone(ctx.db, pair, 'failed');
  } finally {
    clearInterval(look);
  }
}

async function makeAll(ctx: Context, pair: sql.Pair, row: sql.MakingRow, signal: AbortSignal): Promise<void> {
  const from = { zipKey: row.from_zip_key, manifestKey: row.from_key, manifestSize: row.from_size };
  const to = { zipKey: row.to_zip_key, manifestKey: row.to_key, manifestSize: row.to_size };
  let [blocks, difference] = [row.blocks_size, row.difference_size];
  if (row.difference_key === null) {
    const result = await store(ctx, pair, 'difference', async (key) => {
      const { blocksSize, ...blob } = await makeDifference(ctx, { from, to, key }, signal);
      blocks = blocksSize;
      difference = blob.size;
      return { ...blob, save: (tx) => sql.setDifference(tx, pair, { key, ...blob }, blocksSize) };
    });
    if (result !== 'stored') return;
  }
  if (blocks === null || difference === null || blocks === 0) return sql.setNone(ctx.db, pair, 'not_smaller');
  if (blocks > ctx.config.patchMb * 1024 * 1024) return sql.setNone(ctx.db, pair, 'too_large');
  const maxBytes = Math.floor(MAX_SHARE * (blocks + difference));
  await store(ctx, pair, 'pack', async (key) => {
    const made = await makePatch(ctx, { from, to, key, maxBytes }, signal);
    if (made.outcome !== 'made') return made.outcome;
    const { outcome: _, ...blob } = made;
    return { ...blob, save: (tx) => sql.setPack(tx, pair, { key, ...blob }) };
  });
}

type Made = { readonly size: number; readonly sha256: string; readonly save: (tx: Tx) => Promise<boolean> };

/** Makes a blob and records it, if the game has room for it. */
async function store(
  ctx: Context,
  pair: sql.Pair,
  kind: 'difference' | 'pack',
  make: (key: string) => Promise<Made | sql.Reason>,
): Promise<'stored' | 'not stored'> {
  const { db, blobs } = ctx;
  if (!(await transact(db, (tx) => hasRoom(ctx, tx, pair.gameId)))) {
    await sql.setNone(db, pair, 'no_room');
    return 'not stored';
  }
  const key = `${PATCHES_PREFIX}${pair.gameId}/${newId()}.${kind}`;
  let isStored = false;
  try {
    const made = await make(key);
    if (typeof made === 'string') {
      await sql.setNone(db, pair, made);
      return 'not stored';
    }
    const result = await transact(db, async (tx) => {
      if (!(await hasRoom(ctx, tx, pair.gameId, made.size))) return 'no_room';
      return (await made.save(tx)) ? 'stored' : 'gone';
    });
    isStored = result === 'stored';
    if (result === 'no_room') await sql.setNone(db, pair, 'no_room');
    else if (isStored) ctx.log.info({ ...pair, kind, size: made.size }, 'patch made');
    return isStored ? 'stored' : 'not stored';
  } finally {
    if (!isStored) await blobs.delete(key);
  }
}

/** How long clients may go on downloading what no channel needs any more. */
const KEPT_MS = HOUR;

export const sweepJob = defineJob(
  'patches:sweep',
  { attempts: 3, cron: '47 * * * *', lane: 'long', deletesOld: true },
  sweepPatches,
);

export async function sweepPatches(ctx: Context): Promise<void> {
  const keys = await sql.deleteUnwanted(ctx.db, new Date(ctx.clock.now().getTime() - KEPT_MS));
  for (const key of keys) await ctx.blobs.delete(key);
  await sweepOrphans(ctx, PATCHES_PREFIX, (found) => sql.referencedKeys(ctx.db, found));
}
