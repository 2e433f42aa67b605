// Decides which games and files a caller may see, finds what keeps a game from being listed, and reads the facts that
// the server renders into the head of a page.
import { errors, isError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import * as shelvesContract from '@chauffeur/contract/operations/shelves';
import * as contract from '@chauffeur/contract/operations/store';
import type { Caller, Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/database/db.ts';
import { markdownToHtml as htmlOf } from '../../kernel/text/markdown.ts';
import {
  findGameFor,
  type Game,
  readGameAndOwner,
  requireMember,
  requireVisible,
  unknownGame,
} from '../../people/game-access/game-access.ts';
import { readTexts } from '../../people/games/games.ts';
import { countPublicRead } from '../../request/address-limit.ts';
import { handle } from '../../request/route.ts';
import { channelsSince } from '../../ship/channels/channels.sql.ts';
import { currentPointers, isBetaMember } from '../../ship/channels/channels.ts';
import { isSupersededBefore } from '../../ship/files/files.sql.ts';
import { findFile, type GameFileRow, isOffered, isSettled, newestOfferedFile } from '../../ship/files/files.ts';
import { type ImageSet, listImageUrls, publicImages } from '../../ship/media/media.ts';
import { channelsRolledOutSince, channelsRollingOut } from '../../ship/rollouts/rollouts.sql.ts';
import { findDeveloper, listAddresses } from './browse.sql.ts';
import { findMissing, type Missing } from './listing-check.ts';
import { factsOfGame } from './shelves.sql.ts';
import { readShelf } from './shelves.ts';

/** How long a download that has begun can be continued after the file was replaced (spec: Files and scans). */
const RESUME_MS = HOUR;
type PublicGame = OutputOf<typeof contract.getPublicGame>;

/** What is missing before the game can be listed. Throws `notFound`. */
export const getListing = handle(shelvesContract.getListing, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const missing = await findListingProblems(ctx, game.game_id);
  return { passed: missing.length === 0, missing };
});

/** Finds what is missing before the game can be listed. Empty if it is ready. */
export async function findListingProblems(ctx: Context, gameId: string): Promise<Missing[]> {
  return findMissing(await factsOfGame(ctx.db, gameId, ctx.clock.now()));
}

type VisibleGame = { readonly game: Game; readonly role: PublicGame['role']; readonly viewer: Viewer };

/**
 * Returns the game with this uid or slug and the role of the caller. Throws `notFound`, also for drafts of others, and
 * `strongerSignInNeeded`.
 */
export async function requireVisibleGame(ctx: Context, caller: Caller, ref: string): Promise<VisibleGame> {
  const game = await findGameFor(ctx.db, caller, ref);
  if (game === null) throw unknownGame();
  const role = await requireVisible(ctx, game, caller);
  const isBetaPlayer = await isBetaMember(ctx.db, game.game_id, caller);
  return { game, role, viewer: { isMember: role !== null, isBetaPlayer } };
}

export type FileInput = { uid: string; file_uid: string };

/**
 * Returns a file that the caller may download. `isResumed` says whether the caller continues a download, which may go
 * on for an hour after another file was offered instead. Throws `notFound`, `notOnChannel` and `notClean`.
 */
export async function requireDownloadable(
  ctx: Context,
  caller: Caller,
  input: FileInput,
  isResumed: (file: GameFileRow) => boolean = () => false,
): Promise<{ game: Game; file: GameFileRow; isMember: boolean }> {
  const { game, viewer, file } = await requireFile(ctx, caller, input);
  const { isMember } = viewer;
  if (!isMember) await requireOffered(ctx, viewer, file, isResumed(file) ? RESUME_MS : 0);
  if (!isSettled(file.scan_state))
    throw errors.notClean('The file is still being scanned. Try again when the scan has ended.');
  if (!isOffered(file.scan_state))
    throw errors.notClean('The file was rejected by its scan and deleted. Upload another file.');
  return { game, file, isMember };
}

/** The file of a game that the caller may see. Throws `notFound`. */
export async function requireFile(ctx: Context, caller: Caller, input: FileInput) {
  const { game, viewer } = await requireVisibleGame(ctx, caller, input.uid);
  const file = await findFile(ctx.db, game.game_id, input.file_uid);
  if (file === null) throw errors.notFound('file_uid: this game has no such file.');
  return { game, viewer, file };
}

/**
 * Throws `notOnChannel` unless a channel that the viewer can reach, or a rollout on it, offers the file as the newest
 * offered file of its build, now or in the last `graceMs` milliseconds.
 */
export async function requireOffered(ctx: Context, viewer: Viewer, file: GameFileRow, graceMs = 0): Promise<void> {
  const now = ctx.clock.now();
  const pointers = await currentPointers(ctx.db, file.game_id, now);
  const channels = [
    ...pointers.filter(({ build_id }) => build_id === file.build_id).map(({ channel }) => channel),
    ...(await channelsRollingOut(ctx.db, file.game_id, file.build_id)),
  ];
  const isReachableNow = channels.some((channel) => isReachable(channel, viewer));
  const newest = isReachableNow ? await newestOfferedFile(ctx.db, file.game_id, file.build_id) : null;
  if (newest?.file_id === file.file_id) return;
  if (graceMs > 0 && (await wasOffered(ctx.db, viewer, file, new Date(now.getTime() - graceMs)))) return;
  throw errors.notOnChannel();
}

/** Whether the file was offered at any time since `since`. */
async function wasOffered(db: Db, viewer: Viewer, file: GameFileRow, since: Date): Promise<boolean> {
  const [moved, rolledOut] = await Promise.all([
    channelsSince(db, file.game_id, file.build_id, since),
    channelsRolledOutSince(db, file.game_id, file.build_id, since),
  ]);
  if (![...moved, ...rolledOut].some((channel) => isReachable(channel, viewer))) return false;
  return !(await isSupersededBefore(db, file, since));
}

export type GameFacts = {
  readonly slug: string;
  readonly name: string;
  readonly developer: string;
  readonly tagline: string;
  readonly description: string;
  readonly visibility: 'public' | 'invisible' | 'draft';
  readonly image: ImageSet['cover'];
};

/** The facts about a game. Null if it does not exist or the caller may not see it. */
export async function readGameFacts(ctx: Context, caller: Caller, ref: string): Promise<GameFacts | null> {
  try {
    const { game } = await requireVisibleGame(ctx, caller, ref);
    const [{ owner_name: developer }, { tagline, description }, { cover, thumbnail, gallery }] = await Promise.all([
      readGameAndOwner(ctx, game.game_id),
      readTexts(ctx, game.game_id),
      publicImages(ctx, game.game_id),
    ]);
    const { slug, name, visibility } = game;
    return { slug, name, developer, tagline, description, visibility, image: cover ?? thumbnail ?? gallery[0] ?? null };
  } catch (error) {
    if (isError(error, 'notFound', 'strongerSignInNeeded')) return null;
    throw error;
  }
}

/** The games of a shelf, which is at most a minute old. */
export async function listShelf(
  ctx: Context,
  shelf: ShelfName,
): Promise<OutputOf<typeof shelvesContract.getShelf>['games']> {
  return (await readShelf(ctx, { shelf })).shelf.games;
}

/** A public game or a developer, with the URLs of its images. */
export type PublicAddress = { readonly path: string; readonly changedAt: Date; readonly images: readonly string[] };

/** The paths of public games and their developers with their last change. `page` counts from 1. */
export async function listPublicAddresses(ctx: Context, page: number, pageSize: number): Promise<PublicAddress[]> {
  const found = await listAddresses(ctx.db, { limit: pageSize, offset: (page - 1) * pageSize });
  const images = await listImageUrls(
    ctx,
    found.flatMap(({ game_id }) => game_id ?? []),
  );
  return found.map(({ path, updated_at, game_id }) => ({
    path,
    changedAt: updated_at,
    images: images.get(game_id ?? '') ?? [],
  }));
}

/** The handle of the developer who had this one; null if a developer has it, or none has had it. */
export async function findRenamedDeveloper(ctx: Context, handle: string): Promise<string | null> {
  const developer = await findDeveloper(ctx.db, handle);
  return developer === undefined || developer.handle === handle ? null : developer.handle;
}

export const renderMarkdown = handle(
  contract.renderMarkdown,
  async (_, { input }) => ({ html: htmlOf(input.text) }),
  countPublicRead,
);

export type Viewer = {
  /** Whether the viewer has a role on the game, or its deploy key. */
  readonly isMember: boolean;
  readonly isBetaPlayer: boolean;
};

/** Whether the viewer may download from the channel with a link. */
export function isReachable(channel: string, viewer: Viewer): boolean {
  if (viewer.isMember) return true;
  if (channel === 'dev') return false;
  return channel !== 'beta' || viewer.isBetaPlayer;
}

/**
 * Whether the page of a game lists the channel to the viewer; `requested` is the channel in the link. A channel with a
 * custom name is listed for members and for links that name it.
 */
export function isListed(channel: string, viewer: Viewer, requested: string | undefined): boolean {
  if (requested !== undefined) return channel === requested && isReachable(channel, viewer);
  if (viewer.isMember) return true;
  return channel === 'stable' || (channel === 'beta' && viewer.isBetaPlayer);
}
