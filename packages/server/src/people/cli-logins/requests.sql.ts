// The SQL of logins that wait for a person's decision, or for the command to collect its key.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/database/db.ts';

export type NewRequest = {
  requestId: string;
  deviceHash: Buffer;
  userCodeHash: Buffer;
  host: string;
  os: string;
  address: string | null;
  createdAt: Date;
  expiresAt: Date;
  pollSeconds: number;
};

export type RequestRow = {
  request_id: string;
  host: string;
  os: string;
  address: string | null;
  created_at: Date;
  expires_at: Date;
  polled_at: Date | null;
  poll_seconds: number;
  approved: boolean | null;
  user_id: string | null;
  game_id: string | null;
  sign_in_method: string | null;
};

const columns = sql.raw(
  'request_id, host, os, address, created_at, expires_at, polled_at, poll_seconds, approved, user_id, game_id, sign_in_method',
);

export async function insertRequest(db: Db, request: NewRequest): Promise<void> {
  const { requestId, deviceHash, userCodeHash, host, os, address, createdAt, expiresAt, pollSeconds } = request;
  await changed(
    db,
    sql`insert into cli_login_requests
        (request_id, device_hash, user_code_hash, host, os, address, created_at, expires_at, poll_seconds)
      values (${requestId}, ${deviceHash}, ${userCodeHash}, ${host}, ${os}, ${address}, ${createdAt}, ${expiresAt}, ${pollSeconds})`,
  );
}

/** The request if it is still pending; undefined if it is not, or does not exist. */
export function findPendingLogin(db: Db, userCodeHash: Buffer, now: Date): Promise<RequestRow | undefined> {
  return row(
    db,
    sql<RequestRow>`select ${columns} from cli_login_requests
      where user_code_hash = ${userCodeHash} and approved is null and expires_at > ${now}`,
  );
}

type Decision = {
  approved: boolean;
  userId: string;
  gameId: string | null;
  signInMethod: string | null;
  now: Date;
  collectUntil: Date;
};

/** Returns whether the request was pending. Of concurrent decisions, only the first one finds it so. */
export async function decideLogin(db: Db, userCodeHash: Buffer, decision: Decision): Promise<boolean> {
  const { approved, userId, gameId, signInMethod, now, collectUntil } = decision;
  const decided = await changed(
    db,
    sql`update cli_login_requests set approved = ${approved}, user_id = ${userId}, game_id = ${gameId},
        sign_in_method = ${signInMethod}, expires_at = greatest(expires_at, ${collectUntil})
      where user_code_hash = ${userCodeHash} and approved is null and expires_at > ${now}`,
  );
  return decided > 0;
}

/** Finds and locks a request until the transaction ends. */
export function lockRequest(tx: Tx, deviceHash: Buffer): Promise<RequestRow | undefined> {
  return row(
    tx,
    sql<RequestRow>`select ${columns} from cli_login_requests where device_hash = ${deviceHash} for update`,
  );
}

export async function recordPoll(tx: Tx, requestId: string, now: Date, pollSeconds: number): Promise<void> {
  await changed(
    tx,
    sql`update cli_login_requests set polled_at = ${now}, poll_seconds = ${pollSeconds} where request_id = ${requestId}`,
  );
}

export async function deleteRequest(tx: Tx, requestId: string): Promise<void> {
  await changed(tx, sql`delete from cli_login_requests where request_id = ${requestId}`);
}

/** Deletes the requests that the person decided about. */
export async function deleteDecided(tx: Tx, userId: string): Promise<void> {
  await changed(tx, sql`delete from cli_login_requests where user_id = ${userId}`);
}

export function forgetRequests(db: Db, now: Date): Promise<number> {
  return changed(db, sql`delete from cli_login_requests where expires_at < ${now}`);
}
