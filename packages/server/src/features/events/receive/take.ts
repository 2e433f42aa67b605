// Takes events in: gathers the requests that arrive together into one transaction, and answers each when it is durable.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { retryConflicts, type Tx, transact } from '../../../kernel/db.ts';
import { groupCommit } from '../../../kernel/group-commit.ts';
import { perContext } from '../../../kernel/per-context.ts';
import { ensurePartition, partitionOf } from '../keep/partitions.sql.ts';
import { type Part, type Refusal, UNKNOWN_BUILD } from './accept.ts';
import { layOut } from './batch.ts';
import type { GameEvent } from './event.ts';
import { keyOf, knowBuilds } from './known-builds.ts';
import { countedNames } from './known-names.ts';
import { type ClientId, claimIds, writeBatch } from './write.sql.ts';

/** What became of a request: how many of its events count, and how many had come before. */
export type Taken = { accepted: number; repeated: number };

/** The events of one request, all taken or none. */
type Arrival = readonly Part[];
type Outcome = Taken | typeof UNKNOWN;

const UNKNOWN = 'unknown build';
const NONE: ReadonlySet<GameEvent> = new Set();

/** Events of one batch. */
const BATCH = 4000;
/** What a request weighs at least, in events: so a batch has up to 129 requests, beyond which all senders would wait at once. */
const LEAST_WEIGHT = 31;
const MOST_WAITING = 100_000;
/** One is made ready while another is written and a third waits for the disk. */
const WRITERS = 3;
/** Slots of counters, from 1: two writers of one process never have the same. A day’s are summed up when it is over. */
const SLOTS = 60;

/** Writes the events of a request durably, all or none. Throws 4030 when a build is none of its game’s. */
export async function takeEvents(ctx: Context, arrival: Arrival): Promise<Taken> {
  const outcome = await writerOf(ctx)(arrival);
  if (outcome === UNKNOWN) throw refuse(ctx, UNKNOWN_BUILD);
  return outcome;
}

/** The error of a refusal, counted by its rule. */
export function refuse(ctx: Context, { rule, code, message, data }: Refusal): ApiError {
  ctx.metrics.eventRefusals.inc({ rule });
  return new ApiError(code, message, data && { data });
}

const writerOf = perContext((ctx) => {
  const ready = new Set<string>();
  return groupCommit<Arrival, Outcome>({
    most: BATCH,
    writers: WRITERS,
    mostWaiting: MOST_WAITING,
    weigh: (parts) => Math.max(LEAST_WEIGHT, countOf(parts)),
    isAboutItems,
    async write(arrivals, writer) {
      const now = ctx.clock.now();
      // A job makes them ahead; the first event of a new installation comes before it has run.
      const partition = partitionOf(now);
      if (!ready.has(partition)) await ensurePartition(ctx.db, now);
      ready.add(partition);
      const slot = 1 + ((ctx.presence.current().processNo * WRITERS + writer) % SLOTS);
      return writeArrivals(ctx, arrivals, now, slot);
    },
  });
});

/** Data that a column does not take (class 22), or a constraint (23): one such event must not cost the other requests theirs. */
function isAboutItems(error: unknown): boolean {
  return /^2[23]/.test((error as { code?: string }).code ?? '');
}

async function writeArrivals(ctx: Context, arrivals: readonly Arrival[], now: Date, slot: number): Promise<Outcome[]> {
  const known = await knowBuilds(ctx, arrivals.flat());
  const unknown = arrivals.map((parts) => parts.find((part) => !known.has(keyOf(part))));
  const taken = arrivals.filter((_, index) => unknown[index] === undefined).flat();
  const repeated = await writeParts(ctx, taken, now, slot);
  for (const [outcome, count] of Object.entries(takenOf(taken, repeated))) ctx.metrics.events.inc({ outcome }, count);
  return arrivals.map((parts, index) => (unknown[index] === undefined ? takenOf(parts, repeated) : UNKNOWN));
}

/** Answers those of the events that had come before. */
async function writeParts(
  ctx: Context,
  parts: readonly Part[],
  now: Date,
  slot: number,
): Promise<ReadonlySet<GameEvent>> {
  if (countOf(parts) === 0) return NONE;
  const countedName = await countedNames(ctx, parts);
  if (parts.every(({ events }) => events.every(({ event_id }) => event_id == null))) {
    const batch = layOut(parts, now, countedName, NONE);
    await retryConflicts(() => writeBatch(ctx.db, batch, slot));
    return NONE;
  }
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const repeated = await claim(tx, parts, utcDayOf(now));
      const batch = layOut(parts, now, countedName, repeated);
      if (batch.events.place.length > 0) await writeBatch(tx, batch, slot);
      return repeated;
    }),
  );
}

/** Takes the ids of the events for this transaction; answers the events whose id came before, in this batch or in another. */
async function claim(tx: Tx, parts: readonly Part[], day: string): Promise<Set<GameEvent>> {
  const [first, repeated] = [new Map<string, { id: ClientId; event: GameEvent }>(), new Set<GameEvent>()];
  for (const { gameId, events } of parts) {
    for (const event of events) {
      if (event.event_id == null) continue;
      const key = `${gameId}/${event.event_id}`;
      if (first.has(key)) repeated.add(event);
      else first.set(key, { id: { gameId, eventId: event.event_id }, event });
    }
  }
  const claims = [...first.values()];
  const before = await claimIds(
    tx,
    claims.map(({ id }) => id),
    day,
  );
  for (const index of before) repeated.add(claims[index]!.event);
  return repeated;
}

function takenOf(parts: readonly Part[], repeated: ReadonlySet<GameEvent>): Taken {
  const count = countOf(parts);
  if (repeated.size === 0) return { accepted: count, repeated: 0 };
  const again = parts.reduce((sum, { events }) => sum + events.filter((event) => repeated.has(event)).length, 0);
  return { accepted: count - again, repeated: again };
}

function countOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { events }) => sum + events.length, 0);
}
