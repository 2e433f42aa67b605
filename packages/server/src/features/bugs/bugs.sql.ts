// The SQL of bug tickets.
import type { BUG_STATUSES } from '@chauffeur/contract/operations/bugs';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type BugStatus = (typeof BUG_STATUSES)[number];

export type BugRow = {
  bug_id: string;
  status: BugStatus;
  message: string;
  build_id: string | null;
  version: string | null;
  os: string | null;
  arch: string | null;
  crash_id: string | null;
  filed_by: string;
  filed_at: Date;
  updated_at: Date;
};

export type NewBug = {
  gameId: string;
  bugId: string;
  userId: string;
  filedBy: string;
  message: string;
  buildId: string | null;
  os: string | null;
  arch: string | null;
  filedAt: Date;
};

const columns =
  sql.raw(`bug_id, status, message, bug_tickets.build_id, version, bug_tickets.os, bug_tickets.arch, crash_id, filed_by,
  filed_at, bug_tickets.updated_at`);
/** The names of builds remain after the builds are deleted. */
const table = sql.raw(`bug_tickets left join build_names as builds
  on builds.game_id = bug_tickets.game_id and builds.build_id = bug_tickets.build_id`);

/**
 * Locks the player's tickets, so concurrent requests cannot exceed the limit, and returns how many were filed since
 * `day` began.
 */
export async function lockAndCount(tx: Tx, userId: string, day: Date): Promise<number> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`bugs/${userId}`}, 0))`);
  const { filed } = await onlyRow(
    tx,
    sql<{ filed: number }>`select count(*) as filed from bug_tickets where user_id = ${userId} and filed_at >= ${day}`,
  );
  return filed;
}

export async function insertBug(tx: Tx, bug: NewBug): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_tickets (game_id, bug_id, user_id, filed_by, message, build_id, os, arch, filed_at, updated_at)
      values (${bug.gameId}, ${bug.bugId}, ${bug.userId}, ${bug.filedBy}, ${bug.message}, ${bug.buildId}, ${bug.os}, ${bug.arch},
        ${bug.filedAt}, ${bug.filedAt})`,
  );
}

export async function setCrash(db: Db, gameId: string, bugId: string, crashId: string): Promise<void> {
  await changed(db, sql`update bug_tickets set crash_id = ${crashId} where game_id = ${gameId} and bug_id = ${bugId}`);
}

export async function deleteBug(db: Db, gameId: string, bugId: string): Promise<void> {
  await changed(db, sql`delete from bug_tickets where game_id = ${gameId} and bug_id = ${bugId}`);
}

/** Tickets older than `before`, the newest first. */
export function listBugs(
  db: Db,
  gameId: string,
  status: BugStatus | undefined,
  { before, limit }: { before: string | null; limit: number },
): Promise<BugRow[]> {
  const conditions = [sql`bug_tickets.game_id = ${gameId}`];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (before !== null) conditions.push(sql`bug_id < ${before}::uuid`);
  return rows(
    db,
    sql<BugRow>`select ${columns} from ${table} where ${sql.join(conditions, sql` and `)} order by bug_id desc limit ${limit}`,
  );
}

/** Undefined if there is no such ticket. */
export function findBug(db: Db, gameId: string, bugId: string): Promise<BugRow | undefined> {
  return row(
    db,
    sql<BugRow>`select ${columns} from ${table} where bug_tickets.game_id = ${gameId} and bug_id = ${bugId}`,
  );
}

/** The number of open tickets of each game, counted up to `max`. Games without open tickets are left out. */
export function countOpen(
  db: Db,
  gameIds: readonly string[],
  max: number,
): Promise<{ game_id: string; open: number }[]> {
  return rows(
    db,
    sql<{ game_id: string; open: number }>`select game_id, count(*) as open
      from unnest(${gameIds}::uuid[]) as games (game_id) cross join lateral (
        select from bug_tickets where bug_tickets.game_id = games.game_id and status = 'open' limit ${max}
      ) as counted group by game_id`,
  );
}

/** Returns the updated ticket; undefined if there is no such ticket. */
export async function updateStatus(
  db: Db,
  gameId: string,
  bugId: string,
  { status, now }: { status: BugStatus; now: Date },
): Promise<BugRow | undefined> {
  await changed(
    db,
    sql`update bug_tickets set status = ${status}, updated_at = ${now} where game_id = ${gameId} and bug_id = ${bugId}`,
  );
  return findBug(db, gameId, bugId);
}
