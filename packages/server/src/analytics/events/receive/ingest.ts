// Writes the events of requests in batches.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../../context.ts';
import { shardKeyOf } from '../../../kernel/database/shards.ts';
import { type BatchTurn, batchWriter } from '../../../request/batch-writer.ts';
import { UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { partitionOf } from '../partitions.ts';
import type { Part, Refusal } from './accept.ts';
import { countedNames } from './counted-names.ts';
import type { GameEvent } from './event.ts';
import { findExistingBuilds, forgetGames, keyOf } from './existing-builds.ts';
import { ClosedHourError, DeletedGamesError, insertEvents } from './write.sql.ts';

/** How many events of a request were counted, and how many had been sent before. */
export type Ingested = { accepted: number; repeated: number };

/** The keys of builds that do not exist (see `keyOf`). If there are any, no event of the request was written. */
export type UnknownBuilds = { unknown: ReadonlySet<string> };

const NO_EVENTS: ReadonlySet<GameEvent> = new Set();

/** One batch is prepared while another is written and a third waits for the disk. */
const WRITERS = 3;
/**
 * Counters have a row for each slot, from 1, so the writers of a process never change the same row. A job sums up the
 * rows of past days.
 */
const SLOTS = 60;
/**
 * The minimum weight of a request, in events. It limits a batch to 129 requests; with larger batches, all senders would
 * wait at the same time.
 */
const MIN_WEIGHT = 31;

/**
 * Writes the events of a request durably, all or none. Throws `unknownClientIds` if a build does not belong to its
 * game.
 */
export async function ingestEvents(ctx: Context, parts: readonly Part[]): Promise<Ingested> {
  const result = await writeEvents(ctx, parts);
  if ('unknown' in result) throw refuse(ctx, UNKNOWN_BUILD);
  return result;
}

/** The error for a refused request. Counts it by rule. */
export function refuse(ctx: Context, { rule, code, message, data }: Refusal): ApiError {
  ctx.metrics.eventRefusals.inc({ rule });
  return new ApiError(code, message, data && { data });
}

/** Does the same as `ingestEvents`, but returns the builds that do not exist. */
export const writeEvents = batchWriter<readonly Part[], Ingested | UnknownBuilds>({
  queue: 'events',
  maxBatch: 4000,
  writers: WRITERS,
  maxWaiting: 100_000,
  weigh: (parts) => Math.max(MIN_WEIGHT, countOf(parts)),
  partitionOf,
  keyOf: ({ db }, parts) =>
    shardKeyOf(
      db,
      parts.map(({ gameId }) => gameId),
    ),
  write: writeRequests,
});

/** Writes the valid requests, all or none. */
async function writeRequests(
  ctx: Context,
  requests: readonly (readonly Part[])[],
  turn: BatchTurn,
): Promise<(Ingested | UnknownBuilds)[]> {
  const existing = await findExistingBuilds(ctx, requests.flat());
  const exists = (part: Part) => existing.has(keyOf(part));
  const isValid = requests.map((parts) => parts.every(exists));
  const valid = requests.filter((_, index) => isValid[index]).flat();
  let repeated: ReadonlySet<GameEvent>;
  try {
    repeated = await writeParts(ctx, valid, turn);
  } catch (error) {
    // The batch was delayed for minutes. It counts as received in the first hour to which events can be written.
    if (error instanceof ClosedHourError) return writeRequests(ctx, requests, { ...turn, now: lateTime(ctx, error) });
    if (!(error instanceof DeletedGamesError)) throw error;
    // A game was deleted since this process looked up its builds. Nothing was written.
    forgetGames(ctx, error.gameIds);
    return writeRequests(ctx, requests, turn);
  }
  const counted = resultOf(valid, repeated);
  ctx.metrics.events.inc({ outcome: 'accepted' }, counted.accepted);
  ctx.metrics.events.inc({ outcome: 'repeated' }, counted.repeated);
  return requests.map((parts, index) =>
    isValid[index] ? resultOf(parts, repeated) : { unknown: new Set(parts.filter((part) => !exists(part)).map(keyOf)) },
  );
}

function lateTime({ clock }: Context, { openFrom }: ClosedHourError): Date {
  return new Date(Math.max(clock.now().getTime(), openFrom.getTime()));
}

/**
 * Writes events and returns the events that had been sent before. Throws DeletedGamesError, without writing anything,
 * if a game is deleted, and ClosedHourError if the hour is closed.
 */
async function writeParts(
  ctx: Context,
  parts: readonly Part[],
  { now, writer }: BatchTurn,
): Promise<ReadonlySet<GameEvent>> {
  if (countOf(parts) === 0) return NO_EVENTS;
  const slot = 1 + ((ctx.presence.current().processNo * WRITERS + writer) % SLOTS);
  return insertEvents(ctx.db, { parts, now, slot, countedName: await countedNames(ctx, parts) });
}

function resultOf(parts: readonly Part[], repeated: ReadonlySet<GameEvent>): Ingested {
  const count = countOf(parts);
  if (repeated.size === 0) return { accepted: count, repeated: 0 };
  const repeatedCount = parts.reduce(
    (sum, { events }) => sum + events.filter((event) => repeated.has(event)).length,
    0,
  );
  return { accepted: count - repeatedCount, repeated: repeatedCount };
}

function countOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { events }) => sum + events.length, 0);
}
