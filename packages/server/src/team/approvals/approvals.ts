// Approvals: an agent requests a risky action, an owner of the game decides with the link or code, and it is
// performed once.
import { isDeepStrictEqual } from 'node:util';
import { errors } from '@chauffeur/contract/errors';
import type { ApprovalAction, ApprovalState } from '@chauffeur/contract/operations/approvals';
import type { Context, User } from '../../context.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { countLimit } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { enqueueEmail, enqueueEmails } from '../../people/emails/emails.ts';
import { listOwners } from '../../people/game-access/game-access.sql.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import { noteChange } from '../../request/game-changes.ts';
import { type ActionInputs, actionOf, type Preview, requireApplicable } from './actions.ts';
import { approvalEmail, hashCode, newCode } from './approval-emails.ts';
import { approvalViewOf, moverOf, stateOf, ticketOf } from './approval-view.ts';
import * as approvals from './approvals.sql.ts';

export type Requested = {
  readonly status: ApprovalState;
  readonly approval: ReturnType<typeof ticketOf>;
  /** The result of the action, once approved. It may contain a secret that only the requesting agent may receive. */
  readonly result?: Record<string, unknown>;
};

export type ApprovalRequest<Action extends ApprovalAction = ApprovalAction> = {
  [Each in Action]: {
    readonly game: Game;
    readonly action: Each;
    /** The input, which was checked against the schema of the operation. */
    readonly input: ActionInputs[Each];
    /** The requester chooses a key, which always identifies the same request. */
    readonly idempotencyKey?: string | undefined;
  };
}[Action];

/** How long an approval can be decided. */
const VALID_MS = DAY;

/**
 * Requests an action that the owner of the game has to approve. `asker` is a member of the game; `via` names the agent
 * or token.
 *
 * Requests are not duplicated. With an idempotency key, the approval of that key is returned in any state, even if it
 * has expired; a new request needs a new key. Without a key, an equal request by the same person that is pending or was
 * denied within the last 24 hours is returned, unless its basis has changed since.
 *
 * An approved action with a result to collect, such as a deploy key, returns it to the first call after the approval.
 *
 * Throws `invalid` for a key of another request, `unknownBuild` and `notClean` if the action is not possible now,
 * `limitReached` if there are too many requests, and `wrongApprovalCode` and `alreadyDecided` if a result can no longer
 * be collected.
 */
export async function requestApproval(
  ctx: Context,
  asker: { readonly user: User; readonly via: string },
  request: ApprovalRequest,
): Promise<Requested> {
  const requested = await transact(ctx.db, async (tx) => {
    await approvals.lockRequests(tx, request.game.game_id);
    const input = actionOf(request.action).normalize(request.input);
    const existing = await findByKey(tx, asker.user, request, input);
    if (existing !== undefined) return complete(ctx, tx, request.game, existing);
    const preview = await actionOf(request.action).preview(tx, request.game, input, ctx.clock.now());
    const equal = await findEqual(ctx, tx, asker.user, request, input, preview);
    if (equal !== undefined) return complete(ctx, tx, request.game, equal);
    return requestedOf(ctx, await open(ctx, tx, asker, request, input, preview));
  });
  noteChange(ctx, request.game.game_id, 'approvals');
  return requested;
}

/** The response to an existing request: its state, and the result if the requester has yet to collect it. */
async function complete(ctx: Context, tx: Tx, game: Game, existing: approvals.ApprovalRow): Promise<Requested> {
  const { collect } = actionOf(existing.action);
  // Read again with a lock, so that only one of two concurrent calls collects.
  const row = collect === undefined ? existing : ((await approvals.lockApproval(tx, existing.approval_id)) ?? existing);
  if (collect === undefined || row.state !== 'approved' || row.result === null) return requestedOf(ctx, row);
  const { record, handedOut } = await collect(tx, game, {
    result: row.result,
    now: ctx.clock.now(),
    movedBy: moverOf(row, row.decided_by ?? ''),
    requireApplicable: () => requireApplicable(ctx, tx, row, game),
  });
  await approvals.saveResult(tx, row.approval_id, record);
  return { ...requestedOf(ctx, row), result: handedOut };
}

async function findByKey(tx: Tx, user: User, { game, action, idempotencyKey }: ApprovalRequest, input: object) {
  if (idempotencyKey === undefined) return undefined;
  const existing = await approvals.findByKey(tx, { gameId: game.game_id, askerId: user.id, action }, idempotencyKey);
  if (existing === undefined || isDeepStrictEqual(existing.input, input)) return existing;
  throw errors.invalid(
    'idempotency_key: this key was used for another request. Use a new key, or repeat that request unchanged.',
  );
}

async function findEqual(
  ctx: Context,
  tx: Tx,
  user: User,
  { game, action, idempotencyKey }: ApprovalRequest,
  input: object,
  preview: Preview,
) {
  if (idempotencyKey !== undefined) return undefined;
  const request = { gameId: game.game_id, askerId: user.id, action };
  const existing = await approvals.findOpen(tx, request, input, ctx.clock.now());
  const isCurrent =
    existing !== undefined && isDeepStrictEqual(existing.basis, preview.basis) && existing.owner_id === game.owner_id;
  return isCurrent ? existing : undefined;
}

async function open(
  ctx: Context,
  tx: Tx,
  { user, via }: { user: User; via: string },
  { game, action, idempotencyKey }: ApprovalRequest,
  input: object,
  preview: Preview,
): Promise<approvals.ApprovalRow> {
  const now = ctx.clock.now();
  await requireBelowLimit(ctx, tx, game, now);
  const [approvalId, code] = [newId(), newCode()];
  await approvals.insertApproval(tx, {
    gameId: game.game_id,
    approvalId,
    action,
    input,
    basis: preview.basis,
    summary: preview.summary,
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
  const { confirm_url: url } = ticketOf(ctx, opened);
  const { summary, consequences } = preview;
  const content = { game: game.name, summary, consequences, askedBy: user.name, via, url };
  // Only the responsible owner gets the code, so that the record can say who passed it on.
  const emails = (await listOwners(tx, game.game_id)).map(({ user_id: id, email: to }) =>
    approvalEmail({ ...content, to, code: id === game.owner_id ? code : null }),
  );
  await enqueueEmails(ctx, tx, 'approval', emails);
  return opened;
}

/** Throws `limitReached`. Denied requests count as well, so that an agent cannot flood the owner's mailbox. */
async function requireBelowLimit(ctx: Context, tx: Tx, game: Game, now: Date): Promise<void> {
  const max = ctx.config.limitApprovals;
  if (max === 0) return;
  const { count, first_ends_at: end } = await approvals.countUnapproved(tx, game.game_id, now);
  if (countLimit(ctx.metrics, 'approvals', count < max || end === null)) return;
  throw errors.limitReached(
    `This game has ${count} pending or denied requests in the last 24 hours. Wait for its owner to decide.`,
    { data: { retry_after: Math.max(1, Math.ceil((end!.getTime() - now.getTime()) / SECOND)) } },
  );
}

function requestedOf(ctx: Context, row: approvals.ApprovalRow): Requested {
  const status = stateOf(row, ctx.clock.now());
  return { status, approval: ticketOf(ctx, row), ...(row.result !== null && { result: row.result }) };
}

/**
 * Hands the pending approvals of a game to its new owner, who gets emails with new codes; the former owner's codes stop
 * working. Runs in the transaction in which `game`, which already names the new owner, changes hands.
 */
export async function handOverApprovals(ctx: Context, tx: Tx, game: Game, owner: User): Promise<void> {
  const within = { ...ctx, db: tx };
  for (const { approval_id: uid } of await approvals.lockPending(tx, game.game_id, ctx.clock.now())) {
    const code = newCode();
    await approvals.changeApprover(tx, uid, owner.id, hashCode(ctx.secret, uid, code));
    const row = (await approvals.findApproval(tx, uid))!;
    const { summary, consequences, confirm_url: url } = await approvalViewOf(within, row, game, true);
    const { asked_by: askedBy, via } = row;
    await enqueueEmail(
      ctx,
      tx,
      'approval',
      approvalEmail({ to: owner.email, game: game.name, summary, consequences, askedBy, via, url, code }),
    );
  }
}
