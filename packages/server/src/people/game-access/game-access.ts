// Who may do what with a game.
//
// A person has a role on a game, the highest of three: owner if they are responsible for it, their role in its
// organisation, and their role on this game alone. Each operation of the contract names the role that it needs, and
// begins with a function of this file:
//
// - `requireMember`: for people who work on the game. Someone without a role gets `notFound`, so as not to learn that it
//   exists, and a role that is too low gets `notAllowed`.
// - `requireVisible`: for what players see. A draft is visible to members only.
// - `requireOwner`: like `requireMember`, whatever the operation names.
//
// The organisation of a game may require how people sign in. Members who have not are refused what needs a role, and
// are treated as players otherwise. An agent can be limited to some games, and sees no others. A deploy key acts as an
// admin of its own game.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/games';
import { formatMissingRole, isAtLeast, type Role } from '@chauffeur/contract/roles';
import type { AccountCaller, Caller, Context } from '../../context.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { auditChange, noteGame } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { listMetRequirements } from '../organisations/organisations.ts';
import { findObstacleIn } from '../organisations/required-sign-in.ts';
import * as sql from './game-access.sql.ts';

export type Game = sql.GameRow;
export type FoundGame = sql.FoundGame;

/** Locks the game until the transaction ends and returns its current row. Throws `notFound` if it was deleted. */
export async function lockGame(tx: Tx, gameId: string): Promise<Game> {
  const game = await sql.lockGame(tx, gameId);
  if (game === null) throw unknownGame();
  noteGame(game);
  return game;
}

/** The games that the caller has access to. */
export async function listGameIds(ctx: Context, caller: AccountCaller): Promise<string[]> {
  const all = await sql.listRoles(ctx.db, caller.user.id, await listMetRequirements(ctx.db, caller));
  return all.filter((game) => isReachableBy(caller, game)).map(({ game_id }) => game_id);
}

/** The games on which the person has at least this role, however they signed in. */
export async function listGameIdsOf(db: Db, userId: string, atLeast: Role): Promise<string[]> {
  const all = await sql.listRoles(db, userId, null);
  return all.filter(({ role }) => isAtLeast(role, atLeast)).map(({ game_id }) => game_id);
}

/** An agent can be limited to some games. It cannot see any other game, not even its public data. */
export function isReachableBy(caller: Caller, { game_id }: Pick<Game, 'game_id'>): boolean {
  const gameIds = caller.kind === 'account' ? (caller.agent?.gameIds ?? null) : null;
  return gameIds === null || gameIds.includes(game_id);
}

/**
 * Finds the game with this uid or slug for any role; null if there is none or the caller's agent cannot reach it. Throws
 * `gameNotInToken` for an API token whose owner has a role on it, to whom that reveals nothing.
 */
export async function findGameFor(db: Db, caller: Caller, ref: string): Promise<FoundGame | null> {
  const game = await sql.findGame(db, ref);
  if (game === null || isReachableBy(caller, game)) return game;
  const isOfToken = caller.kind === 'account' && caller.agent?.kind === 'token';
  if (isOfToken && (await sql.roleOnGame(db, game.game_id, caller.user.id)) !== null)
    throw errors.gameNotInToken(`This API token does not include the game ${game.slug}.`);
  return null;
}

/**
 * Returns a game on which the caller has the role that the called operation needs. Throws `notAllowed` if their role is
 * lower, `strongerSignInNeeded` if they have not signed in as its organisation requires, unless `anySignIn` is set, and
 * `notFound` if they have none, so as not to reveal that the game exists.
 */
export async function requireMember(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  { anySignIn = false }: { anySignIn?: boolean } = {},
): Promise<{ game: FoundGame; role: Role }> {
  const game = await findGameFor(ctx.db, caller, ref);
  const role = game === null ? null : await roleOf(ctx.db, game, caller);
  if (game === null || role === null) throw unknownGame();
  if (!anySignIn) await requireSufficientSignIn(ctx, game, caller);
  noteGame(game);
  requireRole(role, caller.neededRole ?? 'owner');
  return { game, role };
}

/**
 * Throws `strongerSignInNeeded` if the caller has not signed in as the game's organisation requires. Others are
 * machines or strangers.
 */
export async function requireSufficientSignIn(ctx: Context, game: FoundGame, caller: Caller): Promise<void> {
  const obstacle = await findSignInObstacle(ctx, game, caller);
  if (obstacle !== null) throw obstacle;
}

async function findSignInObstacle(ctx: Context, game: FoundGame, caller: Caller): Promise<ApiError | null> {
  if (game.required_sign_in === null || caller.kind !== 'account') return null;
  return findObstacleIn(ctx, caller, game.organisation_id);
}

/**
 * The caller's role on a game that they may see; null for visitors, and for members who have not signed in as its
 * organisation requires. Drafts are only visible to members: throws `strongerSignInNeeded`, and `notFound` for others.
 */
export async function requireVisible(ctx: Context, game: FoundGame, caller: Caller): Promise<Role | null> {
  const role = await roleOf(ctx.db, game, caller);
  const isDraft = game.visibility === 'draft';
  if (role === null && isDraft) throw unknownGame();
  const obstacle = role === null ? null : await findSignInObstacle(ctx, game, caller);
  if (obstacle === null) return role;
  if (isDraft) throw obstacle;
  return null;
}

/** Throws `notAllowed` if the role on a game is lower than needed. */
export function requireRole(role: Role, needed: Role): void {
  if (!isAtLeast(role, needed)) throw errors.notAllowed(formatMissingRole(role, needed, 'game'));
}

/** Returns a game that the caller owns. Throws `notFound`, and `notAllowed` for lower roles. */
export async function requireOwner(ctx: Context, caller: AccountCaller, ref: string): Promise<Game> {
  const { game } = await requireMember(ctx, { ...caller, neededRole: 'owner' }, ref);
  return game;
}

/** The caller's role on the game; a deploy key acts as an admin of its own game. */
export async function roleOf(db: Db, game: Game, caller: Caller): Promise<Role | null> {
  if (caller.kind === 'game') return caller.gameId === game.game_id ? 'admin' : null;
  if (caller.kind === 'anonymous' || !isReachableBy(caller, game)) return null;
  if (caller.user.id === game.owner_id) return 'owner';
  return sql.roleOnGame(db, game.game_id, caller.user.id);
}

/** Throws `ownerNotVerified` unless the owner of the game has verified their email. */
export async function requireVerifiedOwner(ctx: Context, gameId: string): Promise<void> {
  const { owner_verified } = await readGameAndOwner(ctx, gameId);
  if (!owner_verified) throw errors.ownerNotVerified();
}

/** Returns the game of a deploy key with its owner. Throws `revokedKey` if it was deleted together with its keys. */
export async function readGameAndOwner(ctx: Context, gameId: string) {
  const game = await sql.readOwner(ctx.db, gameId);
  if (game === undefined) throw errors.revokedKey();
  return game;
}

export function unknownGame(cause?: unknown): ApiError {
  return errors.notFound("This game does not exist, or you don't have access to it.", { cause });
}

/** Changes the role of someone who has one on the game or in its organisation. Others are invited. */
export const setGameRole = handle(contract.setGameRole, (ctx, { caller, input }) => {
  const { user_id: userId, role } = input;
  return changeMember(ctx, caller, input, async (tx, gameId, member) => {
    if (member === undefined) throw errors.notFound('user_id: no such member of the game. Invite them to it.');
    const { name, role: from, organisation_role: inOrganisation } = member;
    if (inOrganisation !== null && isAtLeast(inOrganisation, role))
      throw errors.invalid(`role: ${name} is already ${inOrganisation} in the organisation. Change the role there.`);
    await sql.setRole(tx, gameId, userId, role);
    auditChange('member', { name, role: from }, { name, role });
  });
});

export const removeAdmin = handle(contract.removeAdmin, (ctx, { caller, input }) => {
  return changeMember(ctx, caller, input, async (tx, gameId, member) => {
    if (member === undefined) throw errors.notFound('user_id: no such member of the game.');
    const { name, role, game_role: onGame } = member;
    if (onGame === null)
      throw errors.invalid(`user_id: ${name} is ${role} in the organisation. Change the role there.`);
    await sql.deleteRole(tx, gameId, input.user_id);
    auditChange('member', { name, role }, null);
  });
});

type MemberRef = { readonly uid: string; readonly user_id: string };

/** Runs `work` in a transaction in which the caller stays an owner of the game. Returns the members after it. */
async function changeMember(
  ctx: Context,
  caller: AccountCaller,
  { uid, user_id: userId }: MemberRef,
  work: (tx: Tx, gameId: string, member: sql.Member | undefined) => Promise<void>,
) {
  const { game_id: gameId } = await requireOwner(ctx, caller, uid);
  return transact(ctx.db, async (tx) => {
    const game = await lockGame(tx, gameId);
    requireRole((await roleOf(tx, game, caller)) ?? 'viewer', 'owner');
    const member = (await sql.listMembers(tx, gameId)).find(({ user_id }) => user_id === userId);
    await work(tx, gameId, member);
    return { members: await sql.listMembers(tx, gameId) };
  });
}

/** Also without the sign-in that the organisation requires. */
export const leaveGame = handle(contract.leaveGame, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid, { anySignIn: true });
  if (role === 'owner') throw errors.lastOwner();
  const hasLeft = await transact(ctx.db, async (tx) => {
    await lockGame(tx, game.game_id);
    const isDeleted = await sql.deleteRole(tx, game.game_id, caller.user.id);
    if (isDeleted) auditChange('member', { name: caller.user.name, role }, null);
    return isDeleted;
  });
  if (!hasLeft) {
    // Without a role on the game alone, they have one in its organisation, unless they have just left.
    if ((await sql.roleOnGame(ctx.db, game.game_id, caller.user.id)) === null) throw unknownGame();
    throw errors.lastOwner('Your role comes from the organisation of the game. Leave the organisation instead.');
  }
  return { game_uid: game.game_id };
});
