// The SQL of searching for games, and of listing all public games for search engines.
import type { GameSort } from '@chauffeur/contract/operations/shelves';
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { offered } from '../../ship/files/files.ts';

export type StoreSearch = {
  readonly os: string | undefined;
  readonly tag: string | undefined;
  /** The id of the developer. */
  readonly ownerId?: string;
  /** The queries that `prefixQueriesOf` returns. */
  readonly prefixQueries: readonly string[];
};

/** The position at the end of a page: the value by which the last game was sorted, as text. */
export type StorePosition = { readonly named: boolean; readonly key: string; readonly gameId: string };

export type MatchRow = {
  game_id: string;
  /** Whether matches of the name come first, and the name contains every word. */
  named: boolean;
  /** The value by which it is sorted, for a cursor. */
  sort_key: string;
};

const microseconds = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) * 1000000)::bigint`;

type Order = { readonly key: RawBuilder<unknown>; readonly type: 'bigint' | 'text'; readonly isAscending: boolean };

/** The values by which games are sorted. Times are in microseconds, which a cursor can hold. */
const ORDERS: Readonly<Record<GameSort, Order>> = {
  newest: { key: microseconds(sql`published_at`), type: 'bigint', isAscending: false },
  updated: {
    // When stable last got a build to keep, as a release is defined, but not before the game was public.
    key: microseconds(sql`greatest(published_at, (select moved_at from channel_moves as moves
      where moves.game_id = games.game_id and channel = 'stable' and action in ('advance', 'promote') and expires_at is null
      order by moved_at desc limit 1))`),
    type: 'bigint',
    isAscending: false,
  },
  downloads: {
    key: sql`coalesce((select count from recent_downloads where recent_downloads.game_id = games.game_id), 0)`,
    type: 'bigint',
    isAscending: false,
  },
  name: { key: sql`lower(games.name)`, type: 'text', isAscending: true },
};

/** Whether the stable channel offers a download now, as the listing check defines it. */
const offersNow = ({ os }: StoreSearch, now: Date) => sql`exists (
  select from channel_pointers as pointers
  join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
  join files on files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered}
  where pointers.game_id = games.game_id and pointers.channel = 'stable' and pointers.os = coalesce(${os ?? null}, pointers.os)
    and (moves.expires_at is null or moves.expires_at > ${now}))`;

/** Whether a word of the game, or of its developer's name, matches the prefix. */
const matches = (prefixQuery: string) => sql`(words @@ ${prefixQuery}::tsquery
  or owner_id = any(array(select id from users where crash_words(users.name) @@ ${prefixQuery}::tsquery)))`;

/** Selects public games with a description and a download. */
function conditionsOf(search: StoreSearch, now: Date): RawBuilder<unknown>[] {
  return [
    sql`visibility = 'public' and tagline <> '' and description <> ''`,
    ...search.prefixQueries.map(matches),
    ...(search.ownerId === undefined ? [] : [sql`owner_id = ${search.ownerId}`]),
    ...(search.tag === undefined ? [] : [sql`tags @> array[${search.tag}]::text[]`]),
    offersNow(search, now),
  ];
}

type Page = { readonly sort: GameSort | undefined; readonly after: StorePosition | null; readonly limit: number };

/** The games after the position `after`. Without `sort`, matches of the name come first, then the newest. */
export function searchGames(db: Db, search: StoreSearch, { sort, after, limit }: Page, now: Date): Promise<MatchRow[]> {
  const named =
    sort === undefined
      ? all(search.prefixQueries.map((prefixQuery) => sql`crash_words(games.name) @@ ${prefixQuery}::tsquery`))
      : sql`false`;
  const order = ORDERS[sort ?? 'newest'];
  const direction = order.isAscending ? sql`asc` : sql`desc`;
  // The order of code points is fixed, unlike that of a library of locales, which changes with its version.
  const key = order.type === 'text' ? sql`matching.sort_key collate "C"` : sql`matching.sort_key`;
  return rows(
    db,
    sql<MatchRow>`select game_id, named, sort_key::text from (
        select game_id, ${named} as named, ${order.key} as sort_key from games where ${all(conditionsOf(search, now))}
      ) as matching
      where ${after === null ? sql`true` : isAfter(key, order, after)}
      order by named desc, ${key} ${direction}, game_id limit ${limit}`,
  );
}

function isAfter(key: RawBuilder<unknown>, { type, isAscending }: Order, { named, key: last, gameId }: StorePosition) {
  const lastKey = sql`${last}::${sql.raw(type)}`;
  const isLater = isAscending ? sql`${key} > ${lastKey}` : sql`${key} < ${lastKey}`;
  const later = sql`(${isLater} or (${key} = ${lastKey} and game_id > ${gameId}::uuid))`;
  return named ? sql`(not named or ${later})` : sql`(not named and ${later})`;
}

/** The number of games that match, counted up to `max`. */
export async function countGames(db: Db, search: StoreSearch, max: number, now: Date): Promise<number> {
  const { total } = await onlyRow(
    db,
    sql<{ total: number }>`select count(*)::int as total from (
      select from games where ${all(conditionsOf(search, now))} limit ${max}) as matching`,
  );
  return total;
}

export type TagRow = { tag: string; games: number };

/** The tags of the most games that a search can find. */
export function listTags(db: Db, limit: number, now: Date): Promise<TagRow[]> {
  const anyGame: StoreSearch = { os: undefined, tag: undefined, prefixQueries: [] };
  return rows(
    db,
    sql<TagRow>`select tag, count(*)::int as games from games, unnest(tags) as tag
      where ${all(conditionsOf(anyGame, now))} group by tag order by games desc, tag limit ${limit}`,
  );
}

/** Counts the downloads of games since that UTC day, for sorting. */
export async function countRecentDownloads(tx: Tx, since: string): Promise<void> {
  await changed(tx, sql`delete from recent_downloads`);
  await changed(
    tx,
    sql`insert into recent_downloads (game_id, count)
      select game_id, sum(count) from download_days where day >= ${since}::date group by game_id
      on conflict (game_id) do update set count = excluded.count`,
  );
}

/** Joins all conditions in brackets. True without conditions. */
function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

/** A page for search engines: its path and its last change. */
export type AddressRow = {
  path: string;
  updated_at: Date;
  /** Null for the page of a developer. */
  game_id: string | null;
};

/** Selects public games, and developers with a handle and a public game. */
const addresses = sql`
  select '/g/' || slug as path, updated_at, published_at as since, game_id::text as id, game_id from games where visibility = 'public'
  union all
  select '/@' || handle, updated_at, created_at, id, null from users
    where handle is not null and exists (select from games where owner_id = users.id and visibility = 'public')`;

export async function countPublicAddresses(db: Db): Promise<number> {
  const { total } = await onlyRow(db, sql<{ total: number }>`select count(*) as total from (${addresses}) as listed`);
  return total;
}

/** The pages, oldest first, so that the list rarely changes. */
export function listAddresses(db: Db, { limit, offset }: { limit: number; offset: number }): Promise<AddressRow[]> {
  return rows(
    db,
    sql<AddressRow>`select path, updated_at, game_id from (${addresses}) as listed
      order by since, id limit ${limit} offset ${offset}`,
  );
}

export type DeveloperRow = { id: string; handle: string; name: string; created_at: Date };

/** Finds a developer by their handle, or by a former one. */
export function findDeveloper(db: Db, handle: string): Promise<DeveloperRow | undefined> {
  return row(
    db,
    sql<DeveloperRow>`select id, handle, name, created_at from users where handle is not null and id = (
        select id from users where handle = ${handle}
        union all select user_id from former_handles where handle = ${handle} limit 1)`,
  );
}
