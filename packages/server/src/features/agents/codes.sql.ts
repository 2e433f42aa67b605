// The SQL of authorization codes, by their hashes: which connection each is for, and whether it was used.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/db.ts';

export async function insertCode(db: Db, connectionId: string, hash: Buffer): Promise<void> {
  await changed(db, sql`insert into agent_codes (code_hash, connection_id) values (${hash}, ${connectionId})`);
}

export type MarkedCode = {
  connection_id: string;
  user_id: string;
  /** Used, and sent a second time. */
  twice: boolean;
};

const marked = sql`agents.connection_id::text, agents.user_id, used_at is not null and refused_at is not null as twice`;

/** Undefined for a code that is not known. */
export function markUsed(tx: Tx, hash: Buffer, now: Date): Promise<MarkedCode | undefined> {
  return row(
    tx,
    sql<MarkedCode>`update agent_codes set used_at = ${now} from agent_connections as agents
      where code_hash = ${hash} and agents.connection_id = agent_codes.connection_id returning ${marked}`,
  );
}

/** As above. */
export function markRefused(tx: Tx, hash: Buffer, now: Date): Promise<MarkedCode | undefined> {
  return row(
    tx,
    sql<MarkedCode>`update agent_codes set refused_at = ${now} from agent_connections as agents
      where code_hash = ${hash} and agents.connection_id = agent_codes.connection_id returning ${marked}`,
  );
}
