// The SQL of looking for games, and of the list of all public ones for search engines.
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, row, rows } from '../../kernel/db.ts';
import { offered } from '../files/files.ts';

export type Wanted = {
  readonly os: string | undefined;
  readonly tag: string | undefined;
  /** Id of the developer whose games they are. */
  readonly ownerId?: string;
  /** As `questionsOf` makes them. */
  readonly questions: readonly string[];
};

/** Where a page ended. */
export type Position = { readonly named: boolean; readonly publishedUs: string; readonly gameId: string };

export type FoundRow = {
  game_id: string;
  /** Whether the name alone has every word. */
  named: boolean;
  /** Microseconds since 1970, for a cursor. */
  published_us: string;
};

const publishedUs = sql`(extract(epoch from published_at) * 1000000)::bigint`;

/** A download that stable offers now, as the listing check understands it. */
const offersNow = ({ os }: Wanted, now: Date) => sql`exists (
  select from channel_pointers as pointers
  join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
  join files on files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered}
  where pointers.game_id = games.game_id and pointers.channel = 'stable' and pointers.os = coalesce(${os ?? null}, pointers.os)
    and (moves.expires_at is null or moves.expires_at > ${now}))`;

/** The word begins one of the game's own, or one of its developer's name. */
const answers = (question: string) => sql`(words @@ ${question}::tsquery
  or owner_id = any(array(select id from users where crash_words(users.name) @@ ${question}::tsquery)))`;

/** Public games that say something of themselves and can be downloaded: those of the name first, then the newest, behind `after` only. */
export function listFound(
  db: Db,
  wanted: Wanted,
  { after, limit, now }: { after: Position | null; limit: number; now: Date },
): Promise<FoundRow[]> {
  const named = all(wanted.questions.map((question) => sql`crash_words(games.name) @@ ${question}::tsquery`));
  const conditions = [
    sql`visibility = 'public' and tagline <> '' and description <> ''`,
    ...wanted.questions.map(answers),
    offersNow(wanted, now),
  ];
  if (wanted.ownerId !== undefined) conditions.push(sql`owner_id = ${wanted.ownerId}`);
  if (wanted.tag !== undefined) conditions.push(sql`tags @> array[${wanted.tag}]::text[]`);
  if (after !== null) conditions.push(isBehind(named, after));
  return rows(
    db,
    sql<FoundRow>`select game_id, ${named} as named, ${publishedUs}::text as published_us from games
      where ${all(conditions)} order by named desc, published_at desc, game_id limit ${limit}`,
  );
}

function isBehind(named: RawBuilder<unknown>, { named: wasNamed, publishedUs: us, gameId }: Position) {
  const later = sql`(${publishedUs} < ${us}::bigint or (${publishedUs} = ${us}::bigint and game_id > ${gameId}::uuid))`;
  return wasNamed ? sql`(not ${named} or ${later})` : sql`(not ${named} and ${later})`;
}

/** In brackets; true of no conditions. */
function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

/** A page that search engines are to know: its path, and when what it says last changed. */
export type AddressRow = { path: string; updated_at: Date };

/** Public games, and the developers of one who have a handle. */
const addresses = sql`
  select '/g/' || slug as path, updated_at, published_at as since, game_id::text as id from games where visibility = 'public'
  union all
  select '/@' || handle, updated_at, created_at, id from users
    where handle is not null and exists (select from games where owner_id = users.id and visibility = 'public')`;

export async function countAddresses(db: Db): Promise<number> {
  const { total } = await onlyRow(db, sql<{ total: number }>`select count(*) as total from (${addresses}) as listed`);
  return total;
}

/** Those that came first in front, so that a page of many changes little. */
export function listAddresses(db: Db, { limit, offset }: { limit: number; offset: number }): Promise<AddressRow[]> {
  return rows(
    db,
    sql<AddressRow>`select path, updated_at from (${addresses}) as listed
      order by since, id limit ${limit} offset ${offset}`,
  );
}

export type DeveloperRow = { id: string; handle: string; name: string; created_at: Date };

export function findDeveloper(db: Db, handle: string): Promise<DeveloperRow | undefined> {
  return row(db, sql<DeveloperRow>`select id, handle, name, created_at from users where handle = ${handle}`);
}
