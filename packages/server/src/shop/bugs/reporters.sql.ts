// The SQL of players who left an address on bug tickets, and of what they see of their tickets.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';

export type ReporterRow = { asked_at: Date | null; confirmed_at: Date | null; stopped_at: Date | null };

/** The state of an address, in lower case, in a game. Locks it until the transaction ends; undefined without a row. */
export function lockReporter(tx: Tx, gameId: string, address: string): Promise<ReporterRow | undefined> {
  return row(
    tx,
    sql<ReporterRow>`select asked_at, confirmed_at, stopped_at from bug_reporters
      where game_id = ${gameId} and address = ${address} for update`,
  );
}

export async function isStopped(db: Db, gameId: string, address: string): Promise<boolean> {
  const found = await row(
    db,
    sql`select from bug_reporters where game_id = ${gameId} and address = ${address} and stopped_at is not null`,
  );
  return found !== undefined;
}

export async function isConfirmed(db: Db, gameId: string, address: string): Promise<boolean> {
  const found = await row(
    db,
    sql`select from bug_reporters
      where game_id = ${gameId} and address = ${address} and confirmed_at is not null and stopped_at is null`,
  );
  return found !== undefined;
}

export async function setAsked(tx: Tx, gameId: string, addresses: readonly string[], now: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_reporters (game_id, address, asked_at)
      select ${gameId}, address, ${now} from unnest(${addresses}::text[]) as given (address) order by address
      on conflict (game_id, address) do update set asked_at = excluded.asked_at`,
  );
}

export async function setConfirmed(tx: Tx, gameId: string, address: string, now: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_reporters (game_id, address, confirmed_at) values (${gameId}, ${address}, ${now})
      on conflict (game_id, address) do update set confirmed_at = excluded.confirmed_at, stopped_at = null`,
  );
}

/** Replies are no longer mailed to the address, and nothing asks to confirm it, until another ticket has it. */
export async function setStopped(db: Db, gameId: string, address: string, now: Date): Promise<void> {
  await changed(
    db,
    sql`insert into bug_reporters (game_id, address, stopped_at) values (${gameId}, ${address}, ${now})
      on conflict (game_id, address) do update set stopped_at = excluded.stopped_at, confirmed_at = null`,
  );
}

/** An account that files another ticket gets replies again. */
export async function clearStopped(tx: Tx, gameId: string, address: string): Promise<void> {
  await changed(
    tx,
    sql`update bug_reporters set stopped_at = null
      where game_id = ${gameId} and address = ${address} and stopped_at is not null`,
  );
}

export type OwnTicket = { bug_id: string; number: number; title: string; message: string };

const MAX_LISTED = 50;

/** The tickets of a game with this address, the newest first. */
export function listTicketsOf(db: Db, gameId: string, address: string): Promise<OwnTicket[]> {
  return rows(
    db,
    sql<OwnTicket>`select bug_id, number, title, message from bug_tickets
      where game_id = ${gameId} and lower(reporter_email) = ${address} order by bug_id desc limit ${MAX_LISTED}`,
  );
}

export type FiledTicket = OwnTicket & { address: string | null; filed_at: Date };

/** A ticket as the player sees it. */
export function findFiledTicket(db: Db, gameId: string, bugId: string): Promise<FiledTicket | undefined> {
  return row(
    db,
    sql<FiledTicket>`select bug_id, number, title, message, lower(reporter_email) as address, filed_at
      from bug_tickets where game_id = ${gameId} and bug_id = ${bugId}`,
  );
}
