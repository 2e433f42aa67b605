// Games: created by a signed-in developer, who owns them; shared with admins; seen by players as their visibility says.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/games';
import { slugOf } from '@chauffeur/contract/slug';
import type { AccountCaller, Caller, Context } from '../../context.ts';
import type { Ids } from '../../kernel/client-ids.ts';
import { pageOfWhole } from '../../kernel/cursor.ts';
import { type Db, isMissingReference, isUniqueViolation, type Tx, transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import * as clientIds from './client-ids.ts';
import * as games from './games.sql.ts';

export type Game = games.GameRow;
type Record = OutputOf<typeof contract.createGame>;
type FullRecord = OutputOf<typeof contract.updateGame>;

export async function createGame(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.createGame>,
): Promise<Record> {
  return createGameFor(ctx, caller.user.id, input);
}

/** Creates a game owned by `ownerId`. Without a slug, one is made of the name and, where it is taken, a number. */
export async function createGameFor(
  ctx: Context,
  ownerId: string,
  input: InputOf<typeof contract.createGame>,
): Promise<Record> {
  const visibility = input.visibility ?? 'draft';
  const game = {
    gameId: newId(),
    ownerId,
    name: input.name.trim() || input.name,
    visibility,
    publishedAt: visibility === 'public' ? ctx.clock.now() : null,
  };
  for (let attempt = 0; ; attempt += 1) {
    const slug = input.slug ?? slugOf(game.name, attempt);
    try {
      const created = await transact(ctx.db, async (tx) => {
        const inserted = await games.insertGame(tx, { ...game, slug });
        await requireFreeSlug(ctx, tx, slug, ownerId);
        return inserted;
      });
      clientIds.forgetSlugs(ctx, [slug]);
      return recordOf(created, 'owner');
    } catch (error) {
      // The owner deleted their account at this moment.
      if (isMissingReference(error)) throw new ApiError(4011, undefined, { cause: error });
      if (!isUniqueViolation(error) && !(error instanceof ReservedSlugError)) throw error;
      if (input.slug !== undefined) throw takenSlug(input.slug, error);
    }
  }
}

/** The slug belonged to a game that somebody else deleted. */
class ReservedSlugError extends Error {
  override readonly name = 'ReservedSlugError';
}

/** Throws ReservedSlugError. To be called once the game has the slug: a deletion at the same moment is committed by then. */
async function requireFreeSlug(ctx: Context, tx: Tx, slug: string, ownerId: string): Promise<void> {
  if (await games.isReserved(tx, slug, ownerId, ctx.clock.now())) throw new ReservedSlugError(slug);
}

function takenSlug(slug: string, cause: unknown): ApiError {
  const reason =
    cause instanceof ReservedSlugError
      ? 'belonged to a game that was deleted, and is reserved for its former owner'
      : 'belongs to another game';
  return new ApiError(4002, `slug: ${slug} ${reason}; choose another.`, { cause });
}

function recordOf(game: Game, role: 'owner' | 'admin'): Record {
  return {
    game_uid: game.game_id,
    slug: game.slug,
    name: game.name,
    visibility: game.visibility,
    role,
    created_at: game.created_at.toISOString(),
    published_at: game.published_at?.toISOString() ?? null,
  };
}

export async function listGames(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.listGames>,
): Promise<OutputOf<typeof contract.listGames>> {
  const found = await games.listGamesOf(ctx.db, caller.user.id, ctx.clock.now());
  const reached = found.filter((game) => isReachable(caller, game));
  const { items, ...next } = pageOfWhole(['games', caller.user.id], reached, input);
  return {
    games: items.map((game) => ({
      ...recordOf(game, game.owner_id === caller.user.id ? 'owner' : 'admin'),
      newest_build: game.newest_build && {
        ...game.newest_build,
        created_at: new Date(game.newest_build.created_at).toISOString(),
      },
      channels: game.channels,
    })),
    ...next,
  };
}

export async function getGame(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string },
): Promise<OutputOf<typeof contract.getGame>> {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const [texts, members] = await Promise.all([readTexts(ctx, game.game_id), games.listMembers(ctx.db, game.game_id)]);
  return { ...recordOf(game, role), ...texts, members };
}

export async function updateGame(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.updateGame>,
): Promise<FullRecord> {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const changes = {
    ...input,
    tagline: input.tagline?.trim(),
    description: input.description?.trim(),
    tags: input.tags && [...new Set(input.tags)],
  };
  try {
    const changed = await transact(ctx.db, async (tx) => {
      const updated = await games.updateGame(tx, game.game_id, changes, ctx.clock.now());
      if (updated === undefined) throw unknownGame();
      if (changes.slug !== undefined && changes.slug !== game.slug)
        await requireFreeSlug(ctx, tx, changes.slug, updated.owner_id);
      return updated;
    });
    clientIds.forgetSlugs(ctx, [game.slug, changed.slug]);
    const { tagline, description, tags } = changed;
    return { ...recordOf(changed, role), tagline, description, tags };
  } catch (error) {
    const isTaken = isUniqueViolation(error) || error instanceof ReservedSlugError;
    if (isTaken && input.slug !== undefined) throw takenSlug(input.slug, error);
    throw error;
  }
}

export async function removeAdmin(ctx: Context, caller: AccountCaller, input: { uid: string; user_id: string }) {
  const game = await requireOwner(ctx, caller, input.uid);
  await games.deleteAdmin(ctx.db, game.game_id, input.user_id);
  return { members: await games.listMembers(ctx.db, game.game_id) };
}

export async function leaveGame(ctx: Context, caller: AccountCaller, input: { uid: string }) {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  if (role === 'owner') throw new ApiError(4234);
  if (!(await games.deleteAdmin(ctx.db, game.game_id, caller.user.id))) throw unknownGame();
  return { game_uid: game.game_id };
}

/** Makes a person an admin, as a part of the transaction in which they accept. */
export function addAdmin(tx: Tx, gameId: string, userId: string): Promise<void> {
  return games.insertAdmin(tx, gameId, userId);
}

/** Makes a person the owner, as a part of the transaction in which they accept; the former owner becomes an admin. */
export function changeOwner(tx: Tx, game: Game, userId: string): Promise<void> {
  return games.changeOwner(tx, game.game_id, { from: game.owner_id, to: userId });
}

/** Owner and admins, with their names and addresses. */
export function listMembers(db: Db, gameId: string) {
  return games.listMembers(db, gameId);
}

/** The game as it is now, and until the transaction ends. Throws 4040 when it was deleted. */
export async function lockGame(tx: Tx, gameId: string): Promise<Game> {
  const game = await games.lockGame(tx, gameId);
  if (game === null) throw unknownGame();
  return game;
}

/**
 * Throws `code` when `app` or `app_name` names another program than the game: a game has one, and its builds must not be changed in the
 * other’s name. The game’s uid, slug and name, in any case, are the game.
 */
export async function requireOwnProgram(
  ctx: Context,
  gameId: string,
  { app = '', app_name: appName = '' }: { app?: string | undefined; app_name?: string | undefined },
  code: ErrorCode,
): Promise<void> {
  if (app.trim() === '' && appName.trim() === '') return;
  const { name, slug } = await readGameAndOwner(ctx, gameId);
  const ofGame = [gameId, slug, name].map((text) => text.trim().toLowerCase());
  for (const [field, value] of Object.entries({ app, app_name: appName })) {
    if (value.trim() === '' || ofGame.includes(value.trim().toLowerCase())) continue;
    throw new ApiError(
      code,
      `${field}: names another program than the game, and a game has one here; leave it out, or create a game for the other program.`,
    );
  }
}

/** The games that the caller owns or administers. */
export function listGameIds(ctx: Context, caller: AccountCaller): Promise<string[]> {
  return games.listGameIds(ctx.db, caller.user.id);
}

/** Whether the person owns a game, be it a draft. */
export function ownsGames(db: Db, userId: string): Promise<boolean> {
  return games.ownsGames(db, userId);
}

/** The game with this uid or slug, whoever asks; null when there is none. */
export function findGame(db: Db, ref: string): Promise<Game | null> {
  return games.findGame(db, ref);
}

/** The ids that a game’s client sent, with the game’s uid in place of its slug. Ids of no game stay as they are. */
export function resolveClientIds(ctx: Context, ids: Ids): Ids | Promise<Ids> {
  return clientIds.resolveClientIds(ctx, ids);
}

/** The uids of the games that have these slugs; what is no slug of a game is left out. */
export function findGameIds(ctx: Context, refs: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  return clientIds.findGameIds(ctx, refs);
}

/** An agent may be bound to one game: for it, there are no others, not even what everybody sees of them. */
function isReachable(caller: Caller, { game_id }: Pick<Game, 'game_id'>): boolean {
  return caller.kind !== 'account' || caller.agent === undefined || [null, game_id].includes(caller.agent.gameId);
}

/** The game with this uid or slug, whatever the caller’s role on it; null when there is none, or none for the caller’s agent. */
export async function findGameFor(db: Db, caller: Caller, ref: string): Promise<Game | null> {
  const game = await games.findGame(db, ref);
  return game !== null && isReachable(caller, game) ? game : null;
}

/** The game that the caller owns or administers. Throws 4040 also when it exists for others, so as not to tell. */
export async function requireMember(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
): Promise<{ game: Game; role: 'owner' | 'admin' }> {
  const game = await findGameFor(ctx.db, caller, ref);
  const role = game === null ? null : await roleOf(ctx.db, game, caller);
  if (game === null || role === null) throw unknownGame();
  return { game, role };
}

/** The game, whose owner the caller has to be. Throws 4040, and 4031 for an admin. */
export async function requireOwner(ctx: Context, caller: AccountCaller, ref: string): Promise<Game> {
  const { game, role } = await requireMember(ctx, caller, ref);
  if (role !== 'owner') throw new ApiError(4031, 'Only the owner of the game may do this.');
  return game;
}

/** The caller's role on the game; a deploy key acts as an admin of its own game. */
export async function roleOf(db: Db, game: Game, caller: Caller): Promise<'owner' | 'admin' | null> {
  if (caller.kind === 'game') return caller.gameId === game.game_id ? 'admin' : null;
  if (caller.kind === 'anonymous') return null;
  if (caller.user.id === game.owner_id) return 'owner';
  return (await games.isAdmin(db, game.game_id, caller.user.id)) ? 'admin' : null;
}

/** Throws 4096 unless the owner of the game has verified their email. */
export async function requireVerifiedOwner(ctx: Context, gameId: string): Promise<void> {
  const { owner_verified } = await readGameAndOwner(ctx, gameId);
  if (!owner_verified) throw new ApiError(4096);
}

/** The game of a deploy key, with what its holder may know of the owner. Throws 4023 when it was deleted, and its keys with it. */
export async function readGameAndOwner(ctx: Context, gameId: string) {
  const found = await games.readOwner(ctx.db, gameId);
  if (found === undefined) throw new ApiError(4023);
  return found;
}

/** What the game says of itself. Throws 4040 when it was deleted. */
export async function readTexts(ctx: Context, gameId: string): Promise<games.Texts> {
  const found = await games.readTexts(ctx.db, gameId);
  if (found === undefined) throw unknownGame();
  return found;
}

export function unknownGame(): ApiError {
  return new ApiError(4040, 'There is no such game, or you may not see it.');
}
