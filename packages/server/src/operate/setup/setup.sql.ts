// The SQL of the first run: the codes that are valid, and whether it is over.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows, type Tx } from '../../kernel/database/db.ts';

export type SetupRow = { open: boolean; has_accounts: boolean };

/** An operator may have been appointed by an earlier version, which does not record the end. */
export function readSetup(db: Db): Promise<SetupRow> {
  return onlyRow(
    db,
    sql<SetupRow>`select
      not exists (select from setup_end) and not exists (select from users where operator) as open,
      exists (select from users) as has_accounts`,
  );
}

/** Adds a code, and forgets all but the newest `max`. */
export async function insertCode(tx: Tx, codeHash: Buffer, now: Date, max: number): Promise<void> {
  // Of two codes within a millisecond, the later one is the newer.
  await changed(
    tx,
    sql`insert into setup_codes (code_hash, issued_at)
      select ${codeHash}, greatest(${now}, max(issued_at) + interval '1 microsecond') from setup_codes`,
  );
  await changed(
    tx,
    sql`delete from setup_codes where code_hash not in (
      select code_hash from setup_codes order by issued_at desc, code_hash limit ${max})`,
  );
}

/** Locks all codes, so that only one of several requests at the same time can use one. */
export async function lockCodes(tx: Tx): Promise<Buffer[]> {
  const codes = await rows(
    tx,
    sql<{ code_hash: Buffer }>`select code_hash from setup_codes order by code_hash for update`,
  );
  return codes.map((code) => code.code_hash);
}

/** Ends the first run. Safe to repeat. */
export async function endSetup(db: Db): Promise<void> {
  await changed(db, sql`insert into setup_end default values on conflict do nothing`);
  await changed(db, sql`delete from setup_codes`);
}
