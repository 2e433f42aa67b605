// The SQL of connections to programs, with their OAuth clients, authorization codes, tokens and consents.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { type AgentRow, gameOfAgent, isStale, userOfAgent } from './keys.sql.ts';

export type ConnectionRow = {
  connection_id: string;
  name: string;
  uri: string | null;
  host: string | null;
  may_write: boolean;
  game: { game_uid: string; slug: string; name: string } | null;
  connected_at: Date;
  last_used_at: Date | null;
};

export type NewConnection = {
  connectionId: string;
  userId: string;
  clientId: string;
  mayWrite: boolean;
  gameId: string | null;
  signInMethod: string | null;
  connectedAt: Date;
};

export type ClientRow = { client_id: string; name: string | null; uri: string | null; host: string | null };

/** The name of a client, which is optional. */
const nameOfClient = sql`coalesce(nullif(clients.name, ''), 'Unnamed program')`;

/** The host in the id of a client that has a metadata document. */
const hostOfClient = sql`case when clients.client_discovery_id is not null then split_part(clients.client_id, '/', 3) end`;

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return row(
    db,
    sql<ClientRow>`select client_id, name, uri, ${hostOfClient} as host from oauth_clients as clients
      where client_id = ${clientId} and disabled is not true`,
  );
}

export async function insertConnection(tx: Tx, connection: NewConnection): Promise<void> {
  const { connectionId, userId, clientId, mayWrite, gameId, signInMethod, connectedAt } = connection;
  await changed(
    tx,
    sql`insert into agent_connections (connection_id, user_id, client_id, may_write, game_id, sign_in_method, connected_at)
      values (${connectionId}, ${userId}, ${clientId}, ${mayWrite}, ${gameId}, ${signInMethod}, ${connectedAt})`,
  );
}

const listed = sql`connection_id, ${nameOfClient} as name, clients.uri, ${hostOfClient} as host, may_write, ${gameOfAgent} as game, connected_at, last_used_at
  from agent_connections as agents join oauth_clients as clients using (client_id)`;

export function readConnection(db: Db, connectionId: string): Promise<ConnectionRow> {
  return onlyRow(db, sql<ConnectionRow>`select ${listed} where connection_id = ${connectionId}`);
}

/** Active connections after `before`, newest first. */
export function listConnections(
  db: Db,
  userId: string,
  page: { before: string | null; limit: number },
): Promise<ConnectionRow[]> {
  return rows(
    db,
    sql<ConnectionRow>`select ${listed} where agents.user_id = ${userId} and revoked_at is null
        and (${page.before}::uuid is null or connection_id < ${page.before})
      order by connection_id desc limit ${page.limit}`,
  );
}

type Selection = { connectionId: string } | { clientId: string } | 'all';

function conditionOf(selection: Selection) {
  if (selection === 'all') return sql`true`;
  return 'connectionId' in selection
    ? sql`connection_id = ${selection.connectionId}`
    : sql`client_id = ${selection.clientId}`;
}

export async function countConnections(db: Db, userId: string): Promise<number> {
  const { open } = await onlyRow(
    db,
    sql<{
      open: number;
    }>`select count(*) as open from agent_connections where user_id = ${userId} and revoked_at is null`,
  );
  return open;
}

/**
 * Ends one connection of the person, the connections to a client, or all, with their refresh tokens. Returns their
 * number.
 */
export async function endConnections(tx: Tx, userId: string, selection: Selection, now: Date): Promise<number> {
  const condition = conditionOf(selection);
  const ended = await rows(
    tx,
    sql<{ id: string }>`update agent_connections set revoked_at = ${now}
      where user_id = ${userId} and ${condition} and revoked_at is null returning connection_id::text as id`,
  );
  const ids = ended.map(({ id }) => id);
  await changed(tx, sql`delete from oauth_refresh_tokens where reference_id = any(${ids})`);
  await changed(tx, sql`delete from oauth_consents where user_id = ${userId} and reference_id = any(${ids})`);
  return ids.length;
}

/**
 * The connection that an access token names. A client that revokes its refresh token (RFC 7009) also ends the
 * connection, so a connection with refresh tokens is only active while at least one of them is not revoked.
 */
export function findConnection(
  db: Db,
  { connectionId, userId, clientId }: { connectionId: string; userId: string; clientId: string },
  now: Date,
): Promise<AgentRow | undefined> {
  return row(
    db,
    sql<AgentRow>`select connection_id as agent_id, ${nameOfClient} as name, may_write, game_id, agents.sign_in_method,
        ${userOfAgent} as user,
        ${isStale(now)} as stale
      from agent_connections as agents
        join users on users.id = agents.user_id and users.disabled_at is null
        join oauth_clients as clients using (client_id)
      where connection_id = ${connectionId} and agents.user_id = ${userId} and client_id = ${clientId}
        and ${isLive(connectionId)}`,
  );
}

const isLive = (connectionId: string) => sql`revoked_at is null and clients.disabled is not true
  and not (exists (select from oauth_refresh_tokens where reference_id = ${connectionId})
    and not exists (select from oauth_refresh_tokens where reference_id = ${connectionId} and revoked is null))`;

/** Whether the connection with this id is active and may write. */
export async function isWritingConnection(db: Db, connectionId: string): Promise<boolean> {
  const { live } = await onlyRow(
    db,
    sql<{ live: boolean }>`select exists (select from agent_connections as agents
        join users on users.id = agents.user_id and users.disabled_at is null
        join oauth_clients as clients using (client_id)
      where connection_id = ${connectionId} and may_write and ${isLive(connectionId)}) as live`,
  );
  return live;
}

export async function touchConnection(db: Db, connectionId: string, now: Date): Promise<void> {
  await changed(db, sql`update agent_connections set last_used_at = ${now} where connection_id = ${connectionId}`);
}

export async function currentConnection(
  db: Db,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<string | undefined> {
  const newest = await row(
    db,
    sql<{ connection_id: string }>`select connection_id from agent_connections
      where user_id = ${userId} and client_id = ${clientId} and revoked_at is null order by connection_id desc limit 1`,
  );
  return newest?.connection_id;
}

/** Deletes ended connections, expired tokens, and clients that never connected. */
export async function forgetConnections(db: Db, time: Date): Promise<void> {
  await changed(db, sql`delete from agent_connections where revoked_at < ${time}`);
  await changed(db, sql`delete from oauth_refresh_tokens where expires_at < ${time} or revoked < ${time}`);
  await changed(db, sql`delete from oauth_access_tokens where expires_at < ${time}`);
  await changed(db, sql`delete from oauth_client_assertions where expires_at < ${time}`);
  await changed(
    db,
    sql`delete from oauth_clients as clients where created_at < ${time}
      and not exists (select from agent_connections where agent_connections.client_id = clients.client_id)`,
  );
}

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
