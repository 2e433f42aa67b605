// The SQL of searching for games, and of listing all public games for search engines.
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, row, rows } from '../../kernel/database/db.ts';
import { offered } from '../files/files.ts';

export type Search = {
  readonly os: string | undefined;
  readonly tag: string | undefined;
  /** Id of the developer. */
  readonly ownerId?: string;
  /** Prefix queries, as `prefixQueriesOf` returns them. */
  readonly prefixQueries: readonly string[];
};

/** The position at the end of a page. */
export type Position = { readonly named: boolean; readonly publishedUs: string; readonly gameId: string };

export type MatchRow = {
  game_id: string;
  /** Whether the name contains every word. */
  named: boolean;
  /** Microseconds since 1970, for a cursor. */
  published_us: string;
};

const publishedUs = sql`(extract(epoch from published_at) * 1000000)::bigint`;

/** Whether the stable channel offers a download now, as the listing check defines it. */
const offersNow = ({ os }: Search, now: Date) => sql`exists (
  select from channel_pointers as pointers
  join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
  join files on files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered}
  where pointers.game_id = games.game_id and pointers.channel = 'stable' and pointers.os = coalesce(${os ?? null}, pointers.os)
    and (moves.expires_at is null or moves.expires_at > ${now}))`;

/** Whether a word of the game, or of its developer's name, matches the prefix. */
const matches = (prefixQuery: string) => sql`(words @@ ${prefixQuery}::tsquery
  or owner_id = any(array(select id from users where crash_words(users.name) @@ ${prefixQuery}::tsquery)))`;

/**
 * Public games with a description and a download, after the position `after`: matches of the name first, then the
 * newest.
 */
export function searchGames(
  db: Db,
  search: Search,
  { after, limit, now }: { after: Position | null; limit: number; now: Date },
): Promise<MatchRow[]> {
  const named = all(search.prefixQueries.map((prefixQuery) => sql`crash_words(games.name) @@ ${prefixQuery}::tsquery`));
  const conditions = [
    sql`visibility = 'public' and tagline <> '' and description <> ''`,
    ...search.prefixQueries.map(matches),
    offersNow(search, now),
  ];
  if (search.ownerId !== undefined) conditions.push(sql`owner_id = ${search.ownerId}`);
  if (search.tag !== undefined) conditions.push(sql`tags @> array[${search.tag}]::text[]`);
  if (after !== null) conditions.push(isAfter(named, after));
  return rows(
    db,
    sql<MatchRow>`select game_id, ${named} as named, ${publishedUs}::text as published_us from games
      where ${all(conditions)} order by named desc, published_at desc, game_id limit ${limit}`,
  );
}

function isAfter(named: RawBuilder<unknown>, { named: wasNamed, publishedUs: us, gameId }: Position) {
  const later = sql`(${publishedUs} < ${us}::bigint or (${publishedUs} = ${us}::bigint and game_id > ${gameId}::uuid))`;
  return wasNamed ? sql`(not ${named} or ${later})` : sql`(not ${named} and ${later})`;
}

/** All conditions in brackets; true without conditions. */
function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

/** A page for search engines: its path and its last change. */
export type AddressRow = {
  path: string;
  updated_at: Date;
  /** Null for a developer. */
  game_id: string | null;
};

/** Public games, and developers with a handle and a public game. */
const addresses = sql`
  select '/g/' || slug as path, updated_at, published_at as since, game_id::text as id, game_id from games where visibility = 'public'
  union all
  select '/@' || handle, updated_at, created_at, id, null from users
    where handle is not null and exists (select from games where owner_id = users.id and visibility = 'public')`;

export async function countAddresses(db: Db): Promise<number> {
  const { total } = await onlyRow(db, sql<{ total: number }>`select count(*) as total from (${addresses}) as listed`);
  return total;
}

/** Oldest first, so that pages rarely change. */
export function listAddresses(db: Db, { limit, offset }: { limit: number; offset: number }): Promise<AddressRow[]> {
  return rows(
    db,
    sql<AddressRow>`select path, updated_at, game_id from (${addresses}) as listed
      order by since, id limit ${limit} offset ${offset}`,
  );
}

export type DeveloperRow = { id: string; handle: string; name: string; created_at: Date };

export function findDeveloper(db: Db, handle: string): Promise<DeveloperRow | undefined> {
  return row(db, sql<DeveloperRow>`select id, handle, name, created_at from users where handle = ${handle}`);
}
