// Takes what an engine’s analytics module sends: writes the good events, and says how many were skipped and why.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { createEngineEvents } from '@chauffeur/contract/operations/events';
import type { Context } from '../../../context.ts';
import { findGameIds } from '../../games/games.ts';
import { type EngineEvent, judgeEngineEvents, partsOf, skipUnknownBuild } from './engine.ts';
import { keyOf, knowBuilds } from './known-builds.ts';
import { takeEvents } from './take.ts';

type Taken = OutputOf<typeof createEngineEvents>;

/** Writes the good ones durably, all or none of them. Bad ones are never an error: the module would send them again forever. */
export async function takeEngineEvents(ctx: Context, events: readonly EngineEvent[]): Promise<Taken> {
  const { good, skipped } = judgeEngineEvents(await withGameIds(ctx, events));
  const parts = partsOf(good);
  const existing = await knowBuilds(ctx, parts);
  const { taken = [], unknown = [] } = Object.groupBy(parts, (part) =>
    existing.has(keyOf(part)) ? 'taken' : 'unknown',
  );
  skipped.push(...unknown.flatMap((part) => part.events.map(skipUnknownBuild)));
  for (const [rule, of] of Map.groupBy(skipped, ({ rule }) => rule)) ctx.metrics.eventsSkipped.inc({ rule }, of.length);
  const { accepted, repeated } = taken.length === 0 ? { accepted: 0, repeated: 0 } : await takeEvents(ctx, taken);
  const reasons = skipped
    .sort((a, b) => a.index - b.index)
    .slice(0, LIMITS.eventReasons)
    .map(({ index, code, message }) => ({ index, code, message }));
  return { accepted, repeated, skipped: skipped.length, reasons };
}

/** With the game’s uid in each event that names its game by slug. */
async function withGameIds(ctx: Context, events: readonly EngineEvent[]): Promise<readonly EngineEvent[]> {
  const gameIds = await findGameIds(ctx, new Set(events.map(({ appId }) => appId)));
  if (gameIds.size === 0) return events;
  return events.map((event) => ({ ...event, appId: gameIds.get(event.appId) ?? event.appId }));
}
