// The keys of event files: `events/game_id=<uid>/day=2026-11-30/17-000.parquet`. Query engines read the game and the
// day from them, as columns.
import { HOUR, utcDayOf } from '../../../kernel/clock.ts';

export const EVENT_FILES_PREFIX = 'events/';

/** The prefix of all files of a game. */
export function prefixOfGame(gameId: string): string {
  return `${EVENT_FILES_PREFIX}game_id=${gameId}/`;
}

/** The prefix of all files of the hour that starts at `hour`. */
export function prefixOfHour(gameId: string, hour: Date): string {
  return `${prefixOfGame(gameId)}day=${utcDayOf(hour)}/${hour.toISOString().slice(11, 13)}-`;
}

/**
 * `part` numbers the files of an hour, from 0. `version` is 0 for a file as it was first written. A file that is
 * written again has the next version and so another key, because a blob never changes under its key.
 */
export function eventFileKey(gameId: string, hour: Date, part: number, version = 0): string {
  const suffix = version === 0 ? '' : `-v${version}`;
  return `${prefixOfHour(gameId, hour)}${String(part).padStart(3, '0')}${suffix}.parquet`;
}

/** The version in a key from `keyOf`. */
export function versionOf(key: string): number {
  return Number(/-v(\d+)\.parquet$/.exec(key)?.[1] ?? 0);
}

/** The id of the game in a key from `keyOf`. */
export function gameOfFile(key: string): string {
  return key.slice(prefixOfGame('').length - 1, key.indexOf('/', EVENT_FILES_PREFIX.length));
}

/** The start of the hour of a time in microseconds since 1970. */
export function hourOf(us: number): Date {
  return new Date(Math.floor(us / (HOUR * 1000)) * HOUR);
}
