// Decides under which name an event is counted: its own if it is standard or among the game's first custom names,
// otherwise a shared one.
import { LIMITS } from '@chauffeur/contract/limits';
import { OTHER_EVENTS } from '@chauffeur/contract/operations/events';
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { perContext } from '../../../request/per-context.ts';
import type { Part } from './accept.ts';
import { isStandard } from './event.ts';
import { type NamesOfGame, registerNames } from './lookup.sql.ts';

/** The registered names of a game that this process has seen. `isFull` if the game cannot register more. */
type GameNames = { readonly since: number; readonly registered: Set<string>; isFull: boolean };

const CACHED_MS = MINUTE;
const MAX_GAMES = 1000;

const gamesOf = perContext(() => new Map<string, GameNames>());

/**
 * Returns the function that maps an event's name to the name it is counted under. Registers new names first, up to the
 * game's limit.
 */
export async function countedNames(
  ctx: Context,
  parts: readonly Part[],
): Promise<(gameId: string, name: string) => string> {
  const games = gamesOf(ctx);
  const now = ctx.clock.now();
  const unregistered = new Map<string, Set<string>>();
  for (const { gameId, events } of parts) {
    const { registered, isFull } = namesOf(games, gameId, now.getTime());
    for (const { event } of events) {
      if (isStandard(event) || registered.has(event) || isFull) continue;
      const names = unregistered.get(gameId) ?? new Set<string>();
      unregistered.set(gameId, names.add(event));
    }
  }
  if (unregistered.size > 0) {
    const namesOfGames = [...unregistered].map(([gameId, names]) => ({ gameId, names: [...names] }));
    await register(ctx, games, namesOfGames, now);
  }
  return (gameId, name) => (isStandard(name) || games.get(gameId)?.registered.has(name) ? name : OTHER_EVENTS);
}

async function register(
  ctx: Context,
  games: Map<string, GameNames>,
  namesOfGames: readonly NamesOfGame[],
  now: Date,
): Promise<void> {
  const registered = await registerNames(ctx.db, namesOfGames, { max: LIMITS.eventNames, now });
  for (const { gameId, names } of namesOfGames) {
    const entry = namesOf(games, gameId, now.getTime());
    for (const name of names) {
      if (registered.has(`${gameId}/${name}`)) entry.registered.add(name);
      else entry.isFull = true;
    }
  }
}

/** Starts over after a minute, because other processes register names and jobs delete them. */
function namesOf(games: Map<string, GameNames>, gameId: string, now: number): GameNames {
  const existing = games.get(gameId);
  if (existing !== undefined && now >= existing.since && now - existing.since < CACHED_MS) return existing;
  games.delete(gameId);
  const names: GameNames = { since: now, registered: new Set(), isFull: false };
  games.set(gameId, names);
  for (const oldest of games.keys().take(Math.max(0, games.size - MAX_GAMES))) games.delete(oldest);
  return names;
}
