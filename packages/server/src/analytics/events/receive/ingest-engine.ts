// Writes the valid events of an engine's analytics module, and reports how many were skipped and why.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { createEngineEvents } from '@chauffeur/contract/operations/events';
import type { Context } from '../../../context.ts';
import { findGameIds } from '../../../people/client-ids/client-ids.ts';
import { formatProblem, type Part } from './accept.ts';
import { type EngineEvent, judgeEngineEvents, partsOf, skipUnknownBuild } from './engine.ts';
import { keyOf } from './existing-builds.ts';
import { type Ingested, writeEvents } from './ingest.ts';

type EnginePart = Part & { events: readonly EngineEvent[] };

/**
 * Writes the valid events durably, all or none. Invalid events are not an error, because the module would then send its
 * queue again forever.
 */
export async function ingestEngineEvents(
  ctx: Context,
  events: readonly EngineEvent[],
): Promise<OutputOf<typeof createEngineEvents>> {
  const { valid, skipped } = judgeEngineEvents(await withGameIds(ctx, events));
  const { ingested, unknown } = await writeWithoutUnknown(ctx, partsOf(valid));
  skipped.push(...unknown.flatMap((part) => part.events.map(skipUnknownBuild)));
  for (const [rule, { length }] of Map.groupBy(skipped, ({ rule }) => rule))
    ctx.metrics.eventsSkipped.inc({ rule }, length);
  const reasons = skipped
    .sort((a, b) => a.index - b.index)
    .slice(0, LIMITS.eventReasons)
    .map(({ index, code, problem }) => ({ index, code, message: formatProblem(index, problem) }));
  return { ...ingested, skipped: skipped.length, reasons };
}

/** Writes the events of builds that exist, and returns the events of builds that do not. */
async function writeWithoutUnknown(
  ctx: Context,
  parts: readonly EnginePart[],
): Promise<{ ingested: Ingested; unknown: EnginePart[] }> {
  const unknown: EnginePart[] = [];
  for (let remaining = parts; remaining.length > 0; ) {
    const result = await writeEvents(ctx, remaining);
    if (!('unknown' in result)) return { ingested: result, unknown };
    unknown.push(...remaining.filter((part) => result.unknown.has(keyOf(part))));
    remaining = remaining.filter((part) => !result.unknown.has(keyOf(part)));
  }
  return { ingested: { accepted: 0, repeated: 0 }, unknown };
}

/** Replaces the slugs of games in events by their uids. */
async function withGameIds(ctx: Context, events: readonly EngineEvent[]): Promise<readonly EngineEvent[]> {
  const gameIds = await findGameIds(ctx, new Set(events.map(({ appId }) => appId)));
  if (gameIds.size === 0) return events;
  return events.map((event) => ({ ...event, appId: gameIds.get(event.appId) ?? event.appId }));
}
