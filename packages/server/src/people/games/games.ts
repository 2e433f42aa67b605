// Games: created by a signed-in developer, owned by an organisation, visible to its members and to people with a role
// on the game, and to players depending on their visibility.
import { ApiError, type ErrorCode, errors } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/games';
import type { Role } from '@chauffeur/contract/roles';
import { slugOf } from '@chauffeur/contract/slug';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Db, isMissingReference, isUniqueViolation, type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { auditChanges, noteGame } from '../../request/audit.ts';
import { pageOfWhole } from '../../request/cursor.ts';
import {
  endFormerAddress,
  FORMER_SLUGS,
  keepFormerAddress,
  RESERVED_DAYS,
  ReservedAddressError,
} from '../../request/former-addresses.sql.ts';
import { handle } from '../../request/route.ts';
import * as clientIds from '../client-ids/client-ids.ts';
import * as access from '../game-access/game-access.sql.ts';
import {
  type FoundGame,
  type Game,
  isReachableBy,
  lockGame,
  readGameAndOwner,
  requireMember,
  unknownGame,
} from '../game-access/game-access.ts';
import { listMembersOf } from '../organisations/organisations.sql.ts';
import { listMetRequirements, lockOrganisation, requireOrganisation } from '../organisations/organisations.ts';
import { requirePersonalSignIn } from '../organisations/required-sign-in.ts';
import { changeFacts, type FactChanges, type Facts, hasFacts, NO_FACTS } from './fact-rules.ts';
import * as games from './games.sql.ts';

type Record = OutputOf<typeof contract.createGame>;
type FullRecord = OutputOf<typeof contract.updateGame>;

export const createGame = handle(contract.createGame, async (ctx, { caller, input }) => {
  const organisationId = input.organisation === undefined ? null : await requireTarget(ctx, caller, input.organisation);
  if (organisationId === null) await requirePersonalSignIn(ctx, caller);
  return createGameFor(ctx, caller.user.id, input, organisationId);
});

/** The organisation for a new game, in which the caller is an admin. */
async function requireTarget(ctx: Context, caller: AccountCaller, ref: string): Promise<string> {
  const { organisation } = await requireOrganisation(ctx, { ...caller, neededRole: 'admin' }, ref);
  return organisation.organisation_id;
}

/**
 * Creates a game for a person, in their own organisation unless another one is given. The default slug is made from the
 * name, with a number if it is taken.
 */
export async function createGameFor(
  ctx: Context,
  creatorId: string,
  input: InputOf<typeof contract.createGame>,
  organisationId: string | null = null,
): Promise<Record> {
  const visibility = input.visibility ?? 'draft';
  const game = {
    gameId: newId(),
    organisationId,
    name: input.name.trim() || input.name,
    visibility,
    publishedAt: visibility === 'public' ? ctx.clock.now() : null,
  };
  for (let attempt = 0; ; attempt += 1) {
    const slug = input.slug ?? slugOf(game.name, attempt);
    try {
      const created = await transact(ctx.db, async (tx) => {
        const ownerId = organisationId === null ? creatorId : await responsibleIn(tx, organisationId, creatorId);
        const inserted = await games.insertGame(tx, { ...game, ownerId, slug });
        await takeSlug(ctx, tx, slug, creatorId);
        noteGame(inserted);
        auditChanges({}, { name: game.name, slug, visibility });
        return inserted;
      });
      clientIds.forgetSlugs(ctx, [slug]);
      const role = await access.roleOnGame(ctx.db, created.game_id, creatorId);
      return recordOf(created, role ?? 'owner');
    } catch (error) {
      // The owner deleted their account in the meantime.
      if (isMissingReference(error)) throw errors.notSignedIn(undefined, { cause: error });
      if (!isUniqueViolation(error) && !(error instanceof ReservedAddressError)) throw error;
      if (input.slug !== undefined) throw takenSlug(input.slug, error);
    }
  }
}

/** The creator if they own the organisation, and otherwise the owner who joined it first. */
async function responsibleIn(tx: Tx, organisationId: string, creatorId: string): Promise<string> {
  await lockOrganisation(tx, organisationId);
  const owners = (await listMembersOf(tx, organisationId)).filter(({ role }) => role === 'owner');
  const responsible = owners.find(({ user_id }) => user_id === creatorId) ?? owners[0];
  if (responsible === undefined) throw new Error('an organisation has no owner');
  return responsible.user_id;
}

/**
 * Stops the slug from leading to another game. Throws ReservedAddressError. Call it after the game has the slug, when a
 * concurrent deletion or renaming has been committed.
 */
async function takeSlug(ctx: Context, tx: Tx, slug: string, ownerId: string): Promise<void> {
  if (await games.isReservedGameSlug(tx, slug, ownerId, ctx.clock.now())) throw new ReservedAddressError(slug);
  await endFormerAddress(tx, FORMER_SLUGS, slug);
}

/** The former slug keeps leading to the game. */
async function changeSlug(ctx: Context, tx: Tx, before: Game, after: Game): Promise<void> {
  await takeSlug(ctx, tx, after.slug, after.owner_id);
  const now = ctx.clock.now();
  // A game that was never public has no links to protect.
  const wasPublic = before.published_at !== null || before.visibility !== 'draft';
  const reservedUntil = wasPublic ? new Date(now.getTime() + RESERVED_DAYS * DAY) : null;
  await keepFormerAddress(tx, FORMER_SLUGS, { owner: before.game_id, address: before.slug, now, reservedUntil });
}

function takenSlug(slug: string, cause: unknown): ApiError {
  const message =
    cause instanceof ReservedAddressError
      ? `slug: ${slug} belonged to a game that was deleted or renamed, and is reserved for its owner. Choose another one.`
      : `slug: ${slug} belongs to another game. Choose another one.`;
  return errors.invalid(message, { cause });
}

function recordOf(game: Game, role: Role): Record {
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

/** The URL of the smallest copy of an image. */
function pictureOf({ publicUrl }: Context, picture: games.PictureRow | null): string | null {
  return picture && `${publicUrl}/api/v1/public/media/${picture.media_id}?width=${picture.width}`;
}

export const listGames = handle(contract.listGames, async (ctx, { caller, input }) => {
  const met = await listMetRequirements(ctx.db, caller);
  const all = await games.listGamesOf(ctx.db, caller.user.id, { met, now: ctx.clock.now() });
  const reachable = all.filter((game) => isReachableBy(caller, game));
  const { items, ...next } = pageOfWhole(['games', caller.user.id], reachable, input);
  return {
    games: items.map((game) => ({
      ...recordOf(game, game.role),
      picture: pictureOf(ctx, game.picture),
      organisation: game.organisation,
      newest_build: game.newest_build && {
        ...game.newest_build,
        created_at: new Date(game.newest_build.created_at).toISOString(),
      },
      channels: game.channels,
    })),
    ...next,
  };
});

/** Whether the named game can have the slug, or else a new game of the caller. */
export const checkSlug = handle(contract.checkSlug, async (ctx, { caller, input: { slug, game: ref } }) => {
  const game = ref === undefined ? null : (await requireMember(ctx, caller, ref)).game;
  if (await games.isTaken(ctx.db, slug, game?.game_id ?? null)) return { slug, state: 'taken' as const };
  const ownerId = game?.owner_id ?? caller.user.id;
  const isReserved = await games.isReservedGameSlug(ctx.db, slug, ownerId, ctx.clock.now());
  return { slug, state: isReserved ? ('reserved' as const) : ('free' as const) };
});

export const getGame = handle(contract.getGame, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const [texts, facts, picture, organisation, members, hidden] = await Promise.all([
    readTexts(ctx, game.game_id),
    readFacts(ctx.db, game.game_id),
    games.findPicture(ctx.db, game.game_id),
    games.readOrganisation(ctx.db, game.organisation_id),
    access.listMembers(ctx.db, game.game_id),
    games.findHidden(ctx.db, game.game_id),
  ]);
  if (organisation === undefined) throw unknownGame();
  return {
    ...recordOf(game, role),
    ...texts,
    ...facts,
    picture: pictureOf(ctx, picture),
    organisation,
    members,
    hidden: hidden === undefined ? null : { reason: hidden.reason, hidden_at: hidden.hidden_at.toISOString() },
  };
});

export const updateGame = handle(contract.updateGame, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const changes = {
    ...input,
    tagline: input.tagline?.trim(),
    description: input.description?.trim(),
    tags: input.tags && [...new Set(input.tags)],
  };
  try {
    return await publishListing(ctx, game, role, async () => changes);
  } catch (error) {
    const isTaken = isUniqueViolation(error) || error instanceof ReservedAddressError;
    if (isTaken && input.slug !== undefined) throw takenSlug(input.slug, error);
    throw error;
  }
});

/** Changes the game to what `read` returns in the same transaction. */
export async function publishListing(
  ctx: Context,
  game: Game,
  role: Role,
  read: (tx: Tx) => Promise<GameChanges>,
): Promise<FullRecord> {
  const changed = await transact(ctx.db, async (tx) => {
    await lockGame(tx, game.game_id);
    return changeGame(ctx, tx, game, await read(tx));
  });
  clientIds.forgetSlugs(ctx, [game.slug, changed.slug]);
  const { tagline, description, tags, links, videos, languages, requirements, content_notes, install_notes } = changed;
  const texts = { tagline, description, tags };
  const facts = { links, videos, languages, requirements, content_notes, install_notes };
  return { ...recordOf(changed, role), ...texts, ...facts };
}

type GameChanges = games.GameFieldChanges & FactChanges;

async function changeGame(ctx: Context, tx: Tx, { game_id: gameId }: Game, changes: GameChanges) {
  const locked = await lockGame(tx, gameId);
  const isPublishing = ![undefined, 'draft'].includes(changes.visibility);
  if (isPublishing && (await games.findHidden(tx, gameId)) !== undefined) throw errors.pageHidden();
  const [texts, facts] = [await games.readTexts(tx, gameId), await readFacts(tx, gameId)];
  const row = await games.updateGame(tx, gameId, changes, ctx.clock.now());
  if (row === undefined) throw unknownGame();
  const changedFacts = changeFacts(facts, changes);
  if (hasFacts(changes)) await games.upsertFacts(tx, gameId, changedFacts);
  if (row.slug !== locked.slug) await changeSlug(ctx, tx, locked, row);
  const updated = { ...row, ...changedFacts };
  auditChanges({ ...locked, ...texts, ...facts }, updated, CHANGEABLE);
  return updated;
}

/** What the audit log records. */
const CHANGEABLE = ['name', 'slug', 'visibility', 'tagline', 'description', 'tags', ...Object.keys(NO_FACTS)];

/**
 * Throws `code` if `app` or `app_name` names another program than the game, which has only one. The game's uid, slug
 * and name are accepted in any letter case.
 */
export async function requireOwnProgram(
  ctx: Context,
  gameId: string,
  { app = '', app_name: appName = '' }: { app?: string | undefined; app_name?: string | undefined },
  code: ErrorCode,
): Promise<void> {
  if (app.trim() === '' && appName.trim() === '') return;
  const { name, slug } = await readGameAndOwner(ctx, gameId);
  const ownNames = [gameId, slug, name, ...(await games.listFormerSlugs(ctx.db, gameId))].map((text) =>
    text.trim().toLowerCase(),
  );
  for (const [field, value] of Object.entries({ app, app_name: appName })) {
    if (value.trim() === '' || ownNames.includes(value.trim().toLowerCase())) continue;
    throw new ApiError(
      code,
      `${field}: names another program, but a game has only one. Leave it out, or create a game for the other program.`,
    );
  }
}

/** The game with this former slug; null if a game has the slug, or none has had it. */
export async function findRenamed(ctx: Context, ref: string): Promise<FoundGame | null> {
  if (!(await clientIds.isFormerSlug(ctx, ref))) return null;
  // What was known may be a few seconds old.
  const game = await access.findGame(ctx.db, ref);
  return game?.slug === ref ? null : game;
}

/** Returns the texts of the game. Throws `notFound` if it was deleted. */
export async function readTexts(ctx: Context, gameId: string): Promise<games.StoreTexts> {
  const texts = await games.readTexts(ctx.db, gameId);
  if (texts === undefined) throw unknownGame();
  return texts;
}

/** Empty for a game whose team has given none. */
export async function readFacts(db: Db, gameId: string): Promise<Facts> {
  return (await games.findFacts(db, gameId)) ?? NO_FACTS;
}
