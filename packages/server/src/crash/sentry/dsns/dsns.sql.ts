// The SQL of DSNs.
import { sql } from 'kysely';
import { changed, type Db, keepPlan, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';

export type DsnRow = {
  project_no: number;
  dsn_id: string;
  name: string;
  key: string;
  created_by: string;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

type NewDsn = Pick<DsnRow, 'dsn_id' | 'name' | 'key' | 'created_by' | 'created_at'> & {
  game_id: string;
  key_hash: Buffer;
};

const columns = sql.raw('project_no, dsn_id, name, key, created_by, created_at, revoked_at, last_used_at');

/** Gives the game a number unless it has one. The game must be locked. */
export async function ensureProject(tx: Tx, gameId: string): Promise<void> {
  await changed(
    tx,
    sql`insert into dsn_projects (game_id) select ${gameId}
      where not exists (select from dsn_projects where game_id = ${gameId})`,
  );
}

/** The game with this number; undefined if there is none. */
export async function findGameOfProject(db: Db, projectNo: number): Promise<string | undefined> {
  const found = await row(
    db,
    sql<{ game_id: string }>`select game_id from dsn_projects where project_no = ${projectNo}::bigint`,
  );
  return found?.game_id;
}

export function insertDsn(tx: Tx, dsn: NewDsn): Promise<DsnRow> {
  return onlyRow(
    tx,
    sql<DsnRow>`with added as (
        insert into dsns (game_id, dsn_id, name, key, key_hash, created_by, created_at)
          values (${dsn.game_id}, ${dsn.dsn_id}, ${dsn.name}, ${dsn.key}, ${dsn.key_hash}, ${dsn.created_by},
            ${dsn.created_at}) returning *)
      select ${columns} from added join dsn_projects using (game_id)`,
  );
}

/** DSNs that work first, oldest first, then revoked ones, the newest first. */
export function listDsns(db: Db, gameId: string, limit: number): Promise<DsnRow[]> {
  return rows(
    db,
    sql<DsnRow>`select ${columns} from dsns join dsn_projects using (game_id) where game_id = ${gameId}
      order by revoked_at is not null, revoked_at desc, dsn_id limit ${limit}`,
  );
}

/** How many of the game work. */
export async function countDsns(db: Db, gameId: string): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from dsns where game_id = ${gameId} and revoked_at is null`,
  );
  return count;
}

/** Undefined if the game has no such DSN. */
export function renameDsn(
  tx: Tx,
  { gameId, dsnId, name }: { gameId: string; dsnId: string; name: string },
): Promise<(DsnRow & { old_name: string }) | undefined> {
  return row(
    tx,
    sql<DsnRow & { old_name: string }>`with renamed as (
        update dsns set name = ${name}
          from (select name as old_name from dsns where game_id = ${gameId} and dsn_id = ${dsnId} for update) as old
          where game_id = ${gameId} and dsn_id = ${dsnId} returning dsns.*, old_name)
      select ${columns}, old_name from renamed join dsn_projects using (game_id)`,
  );
}

/** A DSN that was revoked before keeps its time. Undefined if the game has no such DSN. */
export function revokeDsn(tx: Tx, gameId: string, dsnId: string, now: Date): Promise<DsnRow | undefined> {
  return row(
    tx,
    sql<DsnRow>`with revoked as (
        update dsns set revoked_at = coalesce(revoked_at, ${now})
          where game_id = ${gameId} and dsn_id = ${dsnId} returning *)
      select ${columns} from revoked join dsn_projects using (game_id)`,
  );
}

export type FoundDsn = { game_id: string; dsn_id: string; name: string; project_no: number };

const findQuery = (keyHash: Buffer) =>
  keepPlan(
    sql<FoundDsn>`select game_id, dsn_id, dsns.name, project_no
      from dsns join dsn_projects using (game_id) join games using (game_id)
      where key_hash = ${keyHash} and revoked_at is null`,
  );

/** Undefined for a key that doesn't exist, was revoked, or is that of a deleted game. */
export function findDsnByKey(db: Db, keyHash: Buffer): Promise<FoundDsn | undefined> {
  return row(db, findQuery(keyHash));
}

/** Writes nothing if another process did in the last minute. A time from while a clock was ahead is replaced. */
export async function touchDsn(db: Db, { game_id, dsn_id }: FoundDsn, now: Date): Promise<void> {
  await changed(
    db,
    sql`update dsns set last_used_at = ${now} where game_id = ${game_id} and dsn_id = ${dsn_id}
      and (last_used_at is null
        or last_used_at not between ${now}::timestamptz - interval '1 minute' and ${now}::timestamptz)`,
  );
}
