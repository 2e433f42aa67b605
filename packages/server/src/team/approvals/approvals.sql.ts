// The SQL of approvals.
import type { ApprovalAction } from '@chauffeur/contract/operations/approvals';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type ApprovalRow = {
  game_id: string;
  approval_id: string;
  action: ApprovalAction;
  input: object;
  basis: object;
  summary: string;
  owner_id: string;
  asker_id: string | null;
  asked_by: string;
  via: string;
  code_hash: Buffer;
  tries: number;
  state: 'pending' | 'approved' | 'denied';
  asked_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  decided_by: string | null;
  result: Record<string, unknown> | null;
};

export type NewApproval = {
  gameId: string;
  approvalId: string;
  action: ApprovalAction;
  input: object;
  basis: object;
  summary: string;
  ownerId: string;
  askerId: string;
  askedBy: string;
  via: string;
  idempotencyKey: string | null;
  codeHash: Buffer;
  askedAt: Date;
  expiresAt: Date;
};

const columns = sql.raw(
  `game_id, approval_id, action, input, basis, summary, owner_id, asker_id, asked_by, via, code_hash, tries, state,
   asked_at, expires_at, decided_at, decided_by, result`,
);

/** Serializes requests for one game, so that equal requests create one approval and the limit holds. */
export async function lockRequests(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`approvals/${gameId}`}, 0))`);
}

export async function insertApproval(tx: Tx, approval: NewApproval): Promise<void> {
  await changed(
    tx,
    sql`insert into approvals (game_id, approval_id, action, input, basis, summary, owner_id, asker_id, asked_by, via,
        idempotency_key, code_hash, asked_at, expires_at)
      values (${approval.gameId}, ${approval.approvalId}, ${approval.action}, ${JSON.stringify(approval.input)},
        ${JSON.stringify(approval.basis)}, ${approval.summary}, ${approval.ownerId}, ${approval.askerId}, ${approval.askedBy},
        ${approval.via}, ${approval.idempotencyKey}, ${approval.codeHash}, ${approval.askedAt}, ${approval.expiresAt})`,
  );
}

export function findApproval(db: Db, approvalId: string): Promise<ApprovalRow | undefined> {
  return row(db, sql<ApprovalRow>`select ${columns} from approvals where approval_id = ${approvalId}`);
}

/** Finds and locks an approval, which blocks other decisions until the transaction ends. */
export function lockApproval(tx: Tx, approvalId: string): Promise<ApprovalRow | undefined> {
  return row(tx, sql<ApprovalRow>`select ${columns} from approvals where approval_id = ${approvalId} for update`);
}

/** Locks the pending approvals of a game until the transaction ends. */
export function lockPending(tx: Tx, gameId: string, now: Date): Promise<ApprovalRow[]> {
  return rows(
    tx,
    sql<ApprovalRow>`select ${columns} from approvals
      where game_id = ${gameId} and state = 'pending' and expires_at > ${now} order by approval_id for update`,
  );
}

/** Lets another person decide, with a new code and new tries. */
export async function changeApprover(tx: Tx, approvalId: string, ownerId: string, codeHash: Buffer): Promise<void> {
  await changed(
    tx,
    sql`update approvals set owner_id = ${ownerId}, code_hash = ${codeHash}, tries = 0 where approval_id = ${approvalId}`,
  );
}

type RequestKey = { gameId: string; askerId: string; action: ApprovalAction };

export function findByKey(
  tx: Tx,
  { gameId, askerId, action }: RequestKey,
  key: string,
): Promise<ApprovalRow | undefined> {
  return row(
    tx,
    sql<ApprovalRow>`select ${columns} from approvals
      where game_id = ${gameId} and asker_id = ${askerId} and action = ${action} and idempotency_key = ${key}`,
  );
}

export type WaitingApproval = ApprovalRow & { slug: string; name: string };

/**
 * Pending approvals of the games that the person owns and has signed in for, newest first. `before` is the last
 * approval of the previous page.
 */
export function listWaitingApprovalRows(
  db: Db,
  userId: string,
  { met, now, before, limit }: { met: readonly string[]; now: Date; before: string | null; limit: number },
): Promise<WaitingApproval[]> {
  return rows(
    db,
    sql<WaitingApproval>`select ${columns}, slug, name
      from approvals join (
          select game_id, games.slug, games.name
          from games join (select game_id, role from game_members where user_id = ${userId}) as membership using (game_id)
          join organisations using (organisation_id)
          where role = 'owner' and coalesce(required_sign_in, '') = any(${['', ...met]}::text[])
        ) as owned using (game_id)
      where state = 'pending' and expires_at > ${now}
        and (${before}::uuid is null or approval_id < ${before})
      order by approval_id desc limit ${limit}`,
  );
}

/** The pending approvals of a game, newest first. */
export function listPendingOf(
  db: Db,
  gameId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<Pick<ApprovalRow, 'approval_id' | 'summary' | 'asked_at'>[]> {
  return rows(
    db,
    sql<Pick<ApprovalRow, 'approval_id' | 'summary' | 'asked_at'>>`select approval_id, summary, asked_at from approvals
      where game_id = ${gameId} and state = 'pending' and expires_at > ${now} order by approval_id desc limit ${limit}`,
  );
}

/**
 * The last equal request that is pending or denied and has not expired, or that is approved and can still be collected.
 */
export function findOpen(
  tx: Tx,
  { gameId, askerId, action }: RequestKey,
  input: object,
  now: Date,
): Promise<ApprovalRow | undefined> {
  return row(
    tx,
    sql<ApprovalRow>`select ${columns} from approvals
      where game_id = ${gameId} and asker_id = ${askerId} and action = ${action} and input = ${JSON.stringify(input)}::jsonb
        and case state when 'approved' then result->>'collected_at' is null and (result->>'collect_until')::timestamptz > ${now}
          else expires_at > ${now} end
      order by asked_at desc limit 1`,
  );
}

/**
 * Counts the pending and denied approvals of a game that have not expired, with the time when the first one expires.
 */
export function countUnapproved(
  tx: Tx,
  gameId: string,
  now: Date,
): Promise<{ count: number; first_ends_at: Date | null }> {
  return onlyRow(
    tx,
    sql<{ count: number; first_ends_at: Date | null }>`
      select count(*) as count, min(expires_at) as first_ends_at from approvals
      where game_id = ${gameId} and state <> 'approved' and expires_at > ${now}`,
  );
}

export async function countTry(tx: Tx, approvalId: string): Promise<void> {
  await changed(tx, sql`update approvals set tries = tries + 1 where approval_id = ${approvalId}`);
}

/** Sets the result of an approved action that the agent has completed. */
export async function saveResult(tx: Tx, approvalId: string, result: object): Promise<void> {
  await changed(tx, sql`update approvals set result = ${JSON.stringify(result)} where approval_id = ${approvalId}`);
}

/** Sets the decision: approved with a result, denied without one. */
export async function saveDecision(
  tx: Tx,
  approvalId: string,
  { by, at, result }: { by: string; at: Date; result: object | null },
): Promise<void> {
  await changed(
    tx,
    sql`update approvals set state = ${result === null ? 'denied' : 'approved'}, decided_by = ${by}, decided_at = ${at},
        result = ${result === null ? null : JSON.stringify(result)}
      where approval_id = ${approvalId}`,
  );
}

/** The number of requests of all games that wait for a decision. */
export async function countPending(db: Db): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from approvals where state = 'pending' and expires_at > now()`,
  );
  return count;
}
