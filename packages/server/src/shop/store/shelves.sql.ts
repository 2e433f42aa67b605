// The SQL of shelves and of the listing check, which reads the tables of several features in one statement.
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import { offered } from '../../ship/files/files.ts';
import type { ListingFacts } from './listing-check.ts';
import type { StableOffer } from './shelf-rules.ts';

export type FactsRow = ListingFacts & {
  readonly game_id: string;
  readonly published_at: Date | null;
  readonly offers: readonly StableOffer[];
};

/** Times are in PostgreSQL's JSON format. */
type RawRow = Omit<FactsRow, 'offers'> & {
  readonly offers: readonly (Omit<StableOffer, 'changed_at'> & { readonly changed_at: string })[];
};

/**
 * When the pointer of `moves` moved to its build. Promoting the current build again changes only the expiry, not what
 * players get, so in this rare case an earlier move counts.
 */
const switchedAt = sql`case when moves.build_id is distinct from moves.previous_build_id then moves.moved_at else (
  select max(moved_at) from channel_moves as earlier
  where earlier.game_id = moves.game_id and earlier.channel = moves.channel and earlier.os = moves.os and earlier.arch = moves.arch
    and earlier.build_id is distinct from earlier.previous_build_id
) end`;

/** The condition that selects the `pointers` of stable whose `moves` have not expired. */
const pointsNow = (now: Date) =>
  sql`pointers.channel = 'stable' and (moves.expires_at is null or moves.expires_at > ${now})`;

/** An offer is the newest offered file of a build that an unexpired pointer of stable points at. */
function readFacts(condition: ReturnType<typeof sql>, now: Date) {
  return sql<RawRow>`
    select games.game_id, visibility, published_at, email_verified as owner_verified,
      games.name ~ '\\S' as has_name, tagline <> '' as has_tagline, description <> '' as has_description,
      has_cover, has_thumbnail, has_screenshot, offers
    from games join users on users.id = owner_id
    cross join lateral (
      select coalesce(bool_or(kind = 'cover'), false) as has_cover, coalesce(bool_or(kind = 'thumbnail'), false) as has_thumbnail,
        coalesce(bool_or(kind = 'screenshot'), false) as has_screenshot
      from media where media.game_id = games.game_id
    ) as images
    cross join lateral (
      select coalesce(json_agg(json_build_object('os', moves.os, 'arch', moves.arch, 'size', size,
          'changed_at', greatest(uploaded_at, ${switchedAt})) order by moves.os, moves.arch), '[]') as offers
      from channel_pointers as pointers
      join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
      cross join lateral (
        select size, uploaded_at from files
        where files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered}
        order by uploaded_at desc, file_id desc limit 1
      ) as newest
      where pointers.game_id = games.game_id and ${pointsNow(now)}
    ) as stable
    where ${condition}`;
}

function factsOf({ offers, ...facts }: RawRow): FactsRow {
  return { ...facts, offers: offers.map((offer) => ({ ...offer, changed_at: new Date(offer.changed_at) })) };
}

export async function factsOfGame(db: Db, gameId: string, now: Date): Promise<FactsRow> {
  return factsOf(await onlyRow(db, readFacts(sql`games.game_id = ${gameId}`, now)));
}

/** The facts of these games, unordered and without deleted games. */
export async function factsOfGames(db: Db, gameIds: readonly string[], now: Date): Promise<FactsRow[]> {
  return (await rows(db, readFacts(sql`games.game_id = any(${gameIds}::uuid[])`, now))).map(factsOf);
}

/** Selects the current stable pointers of the game in a row of `table`. */
const pointersOf = (table: string, now: Date) =>
  sql`select from channel_pointers as pointers
    join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
    where pointers.game_id = ${sql.ref(`${table}.game_id`)} and ${pointsNow(now)}`;

export type GameKey = { readonly game_id: string };

/**
 * The condition on games that are public and described, which an index supports. It only preselects games; the listing
 * check decides.
 */
const DESCRIBED = sql`visibility = 'public' and tagline <> '' and description <> ''`;

/**
 * Up to `limit` described games, the newest first, with a build on stable, optionally for `os` and published since
 * `since`.
 */
export function listPublished(
  db: Db,
  { os, since, limit }: { os: string | undefined; since?: Date; limit: number },
): Promise<GameKey[]> {
  return rows(
    db,
    sql<GameKey>`select game_id from games
      where ${DESCRIBED} and published_at >= ${since ?? '-infinity'}
        and exists (select from channel_pointers as pointers where pointers.game_id = games.game_id and channel = 'stable'
          and os = coalesce(${os ?? null}, os))
      order by published_at desc, game_id limit ${limit}`,
  );
}

/**
 * Described games ordered by the last change of their stable offer, from the last `limit` moves and the last `limit`
 * files.
 */
export function listChanged(db: Db, now: Date, limit: number): Promise<GameKey[]> {
  return rows(
    db,
    sql<GameKey>`select game_id from (
      (select game_id, moved_at as changed_at from channel_moves as switches join games using (game_id)
        where channel = 'stable' and build_id is distinct from previous_build_id and ${DESCRIBED}
          and exists (${pointersOf('switches', now)} and pointers.os = switches.os and pointers.arch = switches.arch)
        order by moved_at desc limit ${limit})
      union all
      (select game_id, uploaded_at from files join games using (game_id)
        where ${offered} and ${DESCRIBED}
          and exists (${pointersOf('files', now)} and moves.build_id = files.build_id)
        order by uploaded_at desc limit ${limit})
    ) as changes group by game_id order by max(changed_at) desc, game_id`,
  );
}

export type CardRow = { game_id: string; slug: string; name: string; developer: string; tagline: string };

/** The texts of the cards of these games, unordered; games that are no longer public are left out. */
export function listCards(db: Db, gameIds: readonly string[]): Promise<CardRow[]> {
  return rows(
    db,
    sql<CardRow>`select game_id, slug, games.name, users.name as developer, tagline
      from games join users on users.id = owner_id
      where game_id = any(${gameIds}::uuid[]) and visibility = 'public'`,
  );
}
