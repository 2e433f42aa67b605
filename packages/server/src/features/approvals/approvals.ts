// Approvals: an agent asks for a risky change, the game's owner decides by a mail's link or code, and the change is done once.
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/approvals';
import type { ApprovalAction, ApprovalState } from '@chauffeur/contract/operations/approvals';
import type { AccountCaller, Context, User } from '../../context.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import { type Tx, transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { enqueueMail, findUserById } from '../accounts/accounts.ts';
import { type Game, requireMember } from '../games/games.ts';
import type { Prospect } from './act.ts';
import { type ActInputs, actOf } from './acts.ts';
import { requireApplicable } from './applicable.ts';
import * as approvals from './approvals.sql.ts';
import { hashCode, newCode } from './code.ts';
import { decide } from './decide.ts';
import { approvalMail } from './mail.ts';
import { moverOf, recordOf, requestOf, stateOf, ticketOf } from './record.ts';

export type Requested = {
  readonly status: ApprovalState;
  readonly approval: ReturnType<typeof ticketOf>;
  /** What the change answered; only once it is approved. May hold a secret: for the agent that asked, and nobody else. */
  readonly result?: Record<string, unknown>;
};

export type ApprovalRequest<Action extends ApprovalAction = ApprovalAction> = {
  [Each in Action]: {
    readonly game: Game;
    readonly action: Each;
    /** Checked against the operation's schema. */
    readonly input: ActInputs[Each];
    /** Of the asker's own: the same one is the same request, for ever. */
    readonly idempotencyKey?: string | undefined;
  };
}[Action];

/** How long an approval waits. */
const VALID_MS = DAY;
const PAGE_SIZE = 50;

/**
 * Asks the owner of the game to agree to a change; `asker` is a member of the game, and `via` names the agent or token.
 *
 * Nothing is asked twice. With an idempotency key, the approval of that key is answered whatever became of it, also once it is
 * over: another request needs another key. Without one, an equal request of the same person that waits, or was denied, within
 * the 24 hours stands for this one, unless what it was asked upon has changed since.
 *
 * An approved change that the asker has to collect, such as a deploy key, is handed out by the first call after the approval.
 *
 * Throws 4002 for a key that came with another request, 4006 and 4099 when the change could not be done now either, 4290
 * when too many wait already, and 4216 and 4217 when it can no longer be collected.
 */
export function requestApproval(
  ctx: Context,
  asker: { readonly user: User; readonly via: string },
  request: ApprovalRequest,
): Promise<Requested> {
  return transact(ctx.db, async (tx) => {
    await approvals.lockRequests(tx, request.game.game_id);
    const input = actOf(request.action).normalize(request.input);
    const known = await findByKey(tx, asker.user, request, input);
    if (known !== undefined) return complete(ctx, tx, request.game, known);
    const prospect = await actOf(request.action).foresee(tx, request.game, input, ctx.clock.now());
    const standing = await findStanding(ctx, tx, asker.user, request, input, prospect);
    if (standing !== undefined) return complete(ctx, tx, request.game, standing);
    return answerOf(ctx, await open(ctx, tx, asker, request, input, prospect));
  });
}

/** The answer for a request that was there before: what became of it, and what the asker has yet to collect. */
async function complete(ctx: Context, tx: Tx, game: Game, found: approvals.ApprovalRow): Promise<Requested> {
  const { collect } = actOf(found.action);
  // Again and locked: two calls at once must not both collect.
  const row = collect === undefined ? found : ((await approvals.lockApproval(tx, found.approval_id)) ?? found);
  if (collect === undefined || row.state !== 'approved' || row.result === null) return answerOf(ctx, row);
  const { record, handedOut } = await collect(tx, game, {
    result: row.result,
    now: ctx.clock.now(),
    movedBy: moverOf(row, row.decided_by ?? ''),
    requireApplicable: () => requireApplicable(ctx, tx, row, game),
  });
  await approvals.recordResult(tx, row.approval_id, record);
  return { ...answerOf(ctx, row), result: handedOut };
}

async function findByKey(tx: Tx, user: User, { game, action, idempotencyKey }: ApprovalRequest, input: object) {
  if (idempotencyKey === undefined) return undefined;
  const found = await approvals.findByKey(tx, { gameId: game.game_id, askerId: user.id, action }, idempotencyKey);
  if (found === undefined || isDeepStrictEqual(found.input, input)) return found;
  throw new ApiError(
    4002,
    'idempotency_key: this key came with another request before; use a new key, or repeat that request as it was.',
  );
}

async function findStanding(
  ctx: Context,
  tx: Tx,
  user: User,
  { game, action, idempotencyKey }: ApprovalRequest,
  input: object,
  prospect: Prospect,
) {
  if (idempotencyKey !== undefined) return undefined;
  const asked = { gameId: game.game_id, askerId: user.id, action };
  const found = await approvals.findStanding(tx, asked, input, ctx.clock.now());
  const isStill =
    found !== undefined && isDeepStrictEqual(found.basis, prospect.basis) && found.owner_id === game.owner_id;
  return isStill ? found : undefined;
}

async function open(
  ctx: Context,
  tx: Tx,
  { user, via }: { user: User; via: string },
  { game, action, idempotencyKey }: ApprovalRequest,
  input: object,
  prospect: Prospect,
): Promise<approvals.ApprovalRow> {
  const now = ctx.clock.now();
  await requireRoom(ctx, tx, game, now);
  const [approvalId, code] = [newId(), newCode()];
  await approvals.insertApproval(tx, {
    gameId: game.game_id,
    approvalId,
    action,
    input,
    basis: prospect.basis,
    summary: prospect.summary,
    ownerId: game.owner_id,
    askerId: user.id,
    askedBy: user.name,
    via,
    idempotencyKey: idempotencyKey ?? null,
    codeHash: hashCode(ctx.secret, approvalId, code),
    askedAt: now,
    expiresAt: new Date(now.getTime() + VALID_MS),
  });
  const opened = (await approvals.findApproval(tx, approvalId))!;
  const owner = await findUserById(tx, game.owner_id);
  if (owner === null) throw new Error('a game has no owner');
  const { confirm_url: url } = ticketOf(ctx, opened);
  const { summary, consequences } = prospect;
  const mail = { to: owner.email, game: game.name, summary, consequences, askedBy: user.name, via, url, code };
  await enqueueMail(tx, approvalMail(mail));
  return opened;
}

/** Throws 4290. Those that were denied count as well: else an agent could fill the owner's mailbox. */
async function requireRoom(ctx: Context, tx: Tx, game: Game, now: Date): Promise<void> {
  const most = ctx.config.limitApprovals;
  if (most === 0) return;
  const { standing, first_ends_at: end } = await approvals.countStanding(tx, game.game_id, now);
  if (standing < most || end === null) return;
  throw new ApiError(
    4290,
    `This game has ${standing} requests of the last 24 hours that wait or were denied; wait for its owner to decide.`,
    { data: { retry_after: Math.max(1, Math.ceil((end.getTime() - now.getTime()) / SECOND)) } },
  );
}

function answerOf(ctx: Context, row: approvals.ApprovalRow): Requested {
  const status = stateOf(row, ctx.clock.now());
  return { status, approval: ticketOf(ctx, row), ...(row.result !== null && { result: row.result }) };
}

type Seen = { row: approvals.ApprovalRow; game: Game };

/** The approval, for the owner of its game and for who asked while they are a member. Throws 4040. */
async function requireApproval(ctx: Context, caller: AccountCaller, uid: string): Promise<Seen> {
  const row = await approvals.findApproval(ctx.db, uid);
  if (row === undefined) throw unknownApproval();
  const { game, role } = await requireMember(ctx, caller, row.game_id).catch((cause: unknown) => {
    throw cause instanceof ApiError ? unknownApproval(cause) : cause;
  });
  if (role !== 'owner' && row.asker_id !== caller.user.id) throw unknownApproval();
  return { row, game };
}

function unknownApproval(cause?: ApiError): ApiError {
  return new ApiError(4040, 'There is no such approval, or it is not yours to see.', { cause });
}

export async function listWaitingApprovals(
  ctx: Context,
  { user }: AccountCaller,
  { cursor, limit = PAGE_SIZE }: InputOf<typeof contract.listWaitingApprovals>,
): Promise<OutputOf<typeof contract.listWaitingApprovals>> {
  const list = ['waiting approvals', user.id];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const found = await approvals.listWaiting(ctx.db, user.id, { now: ctx.clock.now(), before, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    approvals: page.map((row) => requestOf(ctx, row, row)),
    next_cursor: last === null ? null : writeCursor(list, [last.approval_id]),
  };
}

export async function getApproval(ctx: Context, caller: AccountCaller, input: InputOf<typeof contract.getApproval>) {
  const { row, game } = await requireApproval(ctx, caller, input.uid);
  return recordOf(ctx, caller, row, game);
}

export async function confirmApproval(
  ctx: Context,
  caller: AccountCaller,
  { uid, code }: InputOf<typeof contract.confirmApproval>,
) {
  const { game } = await requireApproval(ctx, caller, uid);
  const row = await decide(ctx, game, uid, { code });
  return recordOf(ctx, caller, row, game);
}

export async function decideApproval(
  ctx: Context,
  caller: AccountCaller,
  { uid, approve }: InputOf<typeof contract.decideApproval>,
) {
  const { game } = await requireApproval(ctx, caller, uid);
  const isOwnHand = caller.agent === undefined && caller.user.id === game.owner_id;
  if (!isOwnHand) throw new ApiError(4031, 'Only the game’s owner decides, signed in on the website.');
  const row = await decide(ctx, game, uid, { approve });
  return recordOf(ctx, caller, row, game);
}
