// Cursors of lists: the position after a page, as a string that is valid for one list and its filters only.
import { hash } from 'node:crypto';
import { errors } from '@chauffeur/contract/errors';

/**
 * The parts of a position: an id, a time in microseconds since 1970 (more precise than a Date), a number of bytes, or
 * one line of text.
 */
const FIELDS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  microseconds: /^\d{1,16}$/,
  bytes: /^\d{1,16}$/,
  /** The index into a list that is read as a whole. */
  index: /^\d{1,9}$/,
  // PostgreSQL does not accept U+0000.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a text must not contain it
  text: /^[^\u0000\n]*$/,
} as const;

export type CursorField = keyof typeof FIELDS;

/** Separates the fields of a position; no field contains it. */
const SEPARATOR = '\n';

/** The length of the mark that ties a cursor to its list. It detects mistakes, not attacks. */
const MARK_LENGTH = 11;

/**
 * Encodes the position after which the next page begins. `list` identifies the list, its game and its filters, because
 * the position is meaningless with others.
 */
export function writeCursor(list: readonly unknown[], position: readonly string[]): string {
  return markOf(list) + Buffer.from(position.join(SEPARATOR)).toString('base64url');
}

/** Decodes a cursor into a string for each of `fields`. Throws `invalid` for anything but a cursor of this list. */
export function readCursor(list: readonly unknown[], cursor: string, fields: readonly CursorField[]): string[] {
  const position = Buffer.from(cursor.slice(MARK_LENGTH), 'base64url').toString().split(SEPARATOR);
  const isOurs = cursor.startsWith(markOf(list)) && position.length === fields.length;
  if (isOurs && fields.every((field, index) => FIELDS[field].test(position[index]!))) return position;
  throw errors.invalid('cursor: not valid for this list and its filters. Start again without it.');
}

export type WholePage<Item> = { items: readonly Item[]; next_cursor?: string | null };

/**
 * Returns a page of a list that is read as a whole; without `limit`, all of it and no cursor. Throws `invalid` for a
 * cursor of another list.
 */
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

/**
 * Cuts rows, of which one more than `limit` was read, to a page. `last` is the row to continue after; null on the last
 * page.
 */
export function cutPage<Row>(rows: readonly Row[], limit: number): { page: Row[]; last: Row | null } {
  const page = rows.slice(0, limit);
  return { page, last: rows.length > limit ? page.at(-1)! : null };
}
