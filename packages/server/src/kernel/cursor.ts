// Cursors of lists: where a page ended, as a text that only the list that gave it takes.
import { hash } from 'node:crypto';
import { ApiError } from '@chauffeur/contract/errors';

/** What a position is made of: an id, a time in whole microseconds since 1970, which a Date cannot hold, or a text on one line. */
const FIELDS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  microseconds: /^\d{1,16}$/,
  /** Of a list that is read whole. */
  index: /^\d{1,9}$/,
  // PostgreSQL takes no U+0000.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a text must not have
  text: /^[^\u0000\n]*$/,
} as const;

export type CursorField = keyof typeof FIELDS;

/** Parts the fields of a position; no field has it. */
const SEPARATOR = '\n';

/** Characters of the mark by which a list knows its cursors; a mistake is to be found out, not an attack. */
const MARK_LENGTH = 11;

/**
 * Writes the position behind which the next page begins. `list` names the list, its game and its filters: with others, the position would
 * mean something else.
 */
export function writeCursor(list: readonly unknown[], position: readonly string[]): string {
  return markOf(list) + Buffer.from(position.join(SEPARATOR)).toString('base64url');
}

/** The position in `cursor`, a text for each of `fields`. Throws 4002 for a cursor of another list, or what is none. */
export function readCursor(list: readonly unknown[], cursor: string, fields: readonly CursorField[]): string[] {
  const position = Buffer.from(cursor.slice(MARK_LENGTH), 'base64url').toString().split(SEPARATOR);
  const isOurs = cursor.startsWith(markOf(list)) && position.length === fields.length;
  if (isOurs && fields.every((field, index) => FIELDS[field].test(position[index]!))) return position;
  throw new ApiError(4002, 'cursor: not one of this list and its filters; begin again without it.');
}

export type WholePage<Item> = { items: readonly Item[]; next_cursor?: string | null };

/** A page of a list that is read whole: all of it, and no cursor, where no limit is asked for. Throws 4002 for a cursor of another list. */
export function pageOfWhole<Item>(
  list: readonly unknown[],
  all: readonly Item[],
  { cursor, limit }: { cursor?: string; limit?: number },
): WholePage<Item> {
  const [start = '0'] = cursor === undefined ? [] : readCursor(list, cursor, ['index']);
  const end = limit === undefined ? all.length : Number(start) + limit;
  const items = all.slice(Number(start), end);
  if (limit === undefined) return { items };
  return { items, next_cursor: end < all.length ? writeCursor(list, [String(end)]) : null };
}

function markOf(list: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, MARK_LENGTH);
}

/** Cuts what was read, one more than the page takes, to the page, and says whether another follows. */
export function cutPage<Row>(found: readonly Row[], limit: number): { page: Row[]; last: Row | null } {
  const page = found.slice(0, limit);
  return { page, last: found.length > limit ? page.at(-1)! : null };
}
