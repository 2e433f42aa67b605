// Under which name an event counts: its own when it is a standard one or among the game’s first custom names, else with all others.
import { LIMITS } from '@chauffeur/contract/limits';
import { OTHER_EVENTS } from '@chauffeur/contract/operations/events';
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { perContext } from '../../../kernel/per-context.ts';
import type { Part } from './accept.ts';
import { isStandard } from './event.ts';
import { type NamesOfGame, registerNames } from './lookup.sql.ts';

type Known = { readonly since: number; readonly counted: Set<string>; isFull: boolean };

const KNOWN_MS = MINUTE;
const MOST_GAMES = 1000;

const gamesOf = perContext(() => new Map<string, Known>());

/** Answers the name that a game’s event counts under. Names that the game has room for are registered first. */
export async function countedNames(
  ctx: Context,
  parts: readonly Part[],
): Promise<(gameId: string, name: string) => string> {
  const games = gamesOf(ctx);
  const now = ctx.clock.now();
  const unknown = new Map<string, Set<string>>();
  for (const { gameId, events } of parts) {
    const known = knownOf(games, gameId, now.getTime());
    for (const { event } of events) {
      if (isStandard(event) || known.counted.has(event) || known.isFull) continue;
      const names = unknown.get(gameId) ?? new Set<string>();
      unknown.set(gameId, names.add(event));
    }
  }
  if (unknown.size > 0) {
    const asked = [...unknown].map(([gameId, names]) => ({ gameId, names: [...names] }));
    await learn(ctx, games, asked, now);
  }
  return (gameId, name) => (isStandard(name) || games.get(gameId)?.counted.has(name) ? name : OTHER_EVENTS);
}

async function learn(ctx: Context, games: Map<string, Known>, asked: readonly NamesOfGame[], now: Date): Promise<void> {
  const registered = await registerNames(ctx.db, asked, { most: LIMITS.eventNames, now });
  for (const { gameId, names } of asked) {
    const known = knownOf(games, gameId, now.getTime());
    for (const name of names) {
      if (registered.has(`${gameId}/${name}`)) known.counted.add(name);
      else known.isFull = true;
    }
  }
}

/** Forgets what is older than a minute: meanwhile other processes register names, and jobs forget them. */
function knownOf(games: Map<string, Known>, gameId: string, now: number): Known {
  const found = games.get(gameId);
  if (found !== undefined && now >= found.since && now - found.since < KNOWN_MS) return found;
  games.delete(gameId);
  const known: Known = { since: now, counted: new Set(), isFull: false };
  games.set(gameId, known);
  for (const oldest of games.keys().take(Math.max(0, games.size - MOST_GAMES))) games.delete(oldest);
  return known;
}
