// The SQL of authorization codes, stored as hashes with their connection and use.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/database/db.ts';

export async function insertCode(db: Db, connectionId: string, hash: Buffer): Promise<void> {
  await changed(db, sql`insert into agent_codes (code_hash, connection_id) values (${hash}, ${connectionId})`);
}

export type MarkedCode = {
  connection_id: string;
  user_id: string;
  /** Whether the code was sent again after it was used. */
  reused: boolean;
};

const marked = sql`agents.connection_id::text, agents.user_id, used_at is not null and refused_at is not null as reused`;

/** Undefined for an unknown code. */
export function markUsed(tx: Tx, hash: Buffer, now: Date): Promise<MarkedCode | undefined> {
  return row(
    tx,
    sql<MarkedCode>`update agent_codes set used_at = ${now} from agent_connections as agents
      where code_hash = ${hash} and agents.connection_id = agent_codes.connection_id returning ${marked}`,
  );
}

/** Undefined for an unknown code. */
export function markRefused(tx: Tx, hash: Buffer, now: Date): Promise<MarkedCode | undefined> {
  return row(
    tx,
    sql<MarkedCode>`update agent_codes set refused_at = ${now} from agent_connections as agents
      where code_hash = ${hash} and agents.connection_id = agent_codes.connection_id returning ${marked}`,
  );
}
