// Keeps the names of the functions on crashed stacks, for the search by a part of a name.
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { perContext } from '../../../request/per-context.ts';
import { rememberFunctions } from './functions.sql.ts';

/**
 * Names written today, as `game/function`: crashes with one cause have the same names, which need not be written again.
 */
const namesOfToday = perContext(() => ({ day: '', names: new Set<string>() }));
const MAX_NAMES = 100_000;

/** Keeps the names of a game's functions. Call it before storing the report that has them. */
export async function rememberNewFunctions(ctx: Context, gameId: string, functions: readonly string[]): Promise<void> {
  const day = utcDayOf(ctx.clock.now());
  const today = namesOfToday(ctx);
  if (today.day !== day || today.names.size > MAX_NAMES) Object.assign(today, { day, names: new Set<string>() });
  // The set of `day`, even if the next day begins during the query.
  const { names } = today;
  const newNames = functions.filter((name) => !names.has(`${gameId}/${name}`));
  if (newNames.length === 0) return;
  await rememberFunctions(ctx.db, gameId, newNames, day);
  for (const name of newNames) names.add(`${gameId}/${name}`);
}
