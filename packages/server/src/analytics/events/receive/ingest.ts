// Receives events through the public API, and writes the events of all requests in batches: each batch is one
// transaction, which commits once for many requests (request/batch-writer.ts).
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Operation } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/events';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { shardKeyOf } from '../../../kernel/database/shards.ts';
import { resolveClientIds } from '../../../people/client-ids/client-ids.ts';
import { countPublicPost } from '../../../request/address-limit.ts';
import { type BatchTurn, batchWriter } from '../../../request/batch-writer.ts';
import { idsOf, isAboutBuild, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { readJsonBody } from '../../../request/json.ts';
import { answer } from '../../../request/perform.ts';
import { stream } from '../../../request/route.ts';
import { noteRefusal } from '../../../ship/refusals/refusals.ts';
import { eventPartitionOf } from '../keep/event-partitions.job.ts';
import { acceptEvents, type BuildEvents, type EventRefusal, eventsOf } from './accept-events.ts';
import type { GameEvent } from './event.ts';
import { buildRefKey, countedNames, findExistingBuilds, forgetGames } from './lookup.ts';
import { ClosedHourError, DeletedGamesError, insertEvents } from './write.sql.ts';

/** `POST …/public/events`. */
export const receiveEvents = stream(contract.createEvents, async (ctx, { request }) => {
  const body = await readBody(ctx, contract.createEvents, request);
  const ids = await resolveClientIds(ctx, idsOf(request));
  const verdict = acceptEvents({ ...ids, body });
  if ('refused' in verdict) {
    const { refused } = verdict;
    if (isAboutBuild(refused)) noteRefusal(ctx, ids, 'event', Math.min(eventsOf(body)?.length ?? 0, LIMITS.events));
    throw refuseEvents(ctx, refused);
  }
  const result = await writeEvents(ctx, [verdict.accepted]);
  if ('unknown' in result) {
    noteRefusal(ctx, ids, 'event', verdict.accepted.events.length);
    throw refuseEvents(ctx, UNKNOWN_BUILD);
  }
  return answer(202, result);
});

export function readBody(ctx: Context, operation: Operation, request: FastifyRequest): Promise<unknown> {
  try {
    countPublicPost(ctx, request);
  } catch (error) {
    ctx.metrics.eventRefusals.inc({ rule: 'address_limit' });
    throw error;
  }
  return readJsonBody(ctx, operation, request);
}

/** How many events of a request were counted, and how many had been sent before. */
export type Ingested = { accepted: number; repeated: number };

/** The keys of builds that do not exist (see `keyOf`). If there are any, no event of the request was written. */
type UnknownBuilds = { unknown: ReadonlySet<string> };

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

/** The error for a refused request. Counts it by rule. */
export function refuseEvents(ctx: Context, { rule, code, message, data }: EventRefusal): ApiError {
  ctx.metrics.eventRefusals.inc({ rule });
  return new ApiError(code, message, data && { data });
}

/** Writes the events of a request durably, all or none. Writes none if some builds do not exist, and returns those. */
export const writeEvents = batchWriter<readonly BuildEvents[], Ingested | UnknownBuilds>({
  queue: 'events',
  maxBatch: 4000,
  writers: WRITERS,
  maxWaiting: 100_000,
  weigh: (perBuild) => Math.max(MIN_WEIGHT, countOf(perBuild)),
  partitionOf: eventPartitionOf,
  keyOf: ({ db }, perBuild) =>
    shardKeyOf(
      db,
      perBuild.map(({ gameId }) => gameId),
    ),
  write: writeRequests,
});

/** Writes the valid requests of a batch, all or none. */
async function writeRequests(
  ctx: Context,
  requests: readonly (readonly BuildEvents[])[],
  turn: BatchTurn,
): Promise<(Ingested | UnknownBuilds)[]> {
  const existing = await findExistingBuilds(ctx, requests.flat());
  const exists = (ofBuild: BuildEvents) => existing.has(buildRefKey(ofBuild));
  const isValid = requests.map((perBuild) => perBuild.every(exists));
  const valid = requests.filter((_, index) => isValid[index]).flat();
  let repeated: ReadonlySet<GameEvent>;
  try {
    repeated = await writeValid(ctx, valid, turn);
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
  return requests.map((perBuild, index) =>
    isValid[index]
      ? resultOf(perBuild, repeated)
      : { unknown: new Set(perBuild.filter((ofBuild) => !exists(ofBuild)).map(buildRefKey)) },
  );
}

function lateTime({ clock }: Context, { openFrom }: ClosedHourError): Date {
  return new Date(Math.max(clock.now().getTime(), openFrom.getTime()));
}

/**
 * Writes events and returns the events that had been sent before. Throws DeletedGamesError, without writing anything,
 * if a game is deleted, and ClosedHourError if the hour is closed.
 */
async function writeValid(
  ctx: Context,
  perBuild: readonly BuildEvents[],
  { now, writer }: BatchTurn,
): Promise<ReadonlySet<GameEvent>> {
  if (countOf(perBuild) === 0) return NO_EVENTS;
  const slot = 1 + ((ctx.presence.current().processNo * WRITERS + writer) % SLOTS);
  return insertEvents(ctx.db, { perBuild, now, slot, countedName: await countedNames(ctx, perBuild) });
}

function resultOf(perBuild: readonly BuildEvents[], repeated: ReadonlySet<GameEvent>): Ingested {
  const count = countOf(perBuild);
  if (repeated.size === 0) return { accepted: count, repeated: 0 };
  const repeatedCount = perBuild.reduce(
    (sum, { events }) => sum + events.filter((event) => repeated.has(event)).length,
    0,
  );
  return { accepted: count - repeatedCount, repeated: repeatedCount };
}

function countOf(perBuild: readonly BuildEvents[]): number {
  return perBuild.reduce((sum, { events }) => sum + events.length, 0);
}
