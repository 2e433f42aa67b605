// What a player may see of a game: its channels and files, and the record of where a file came from.
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as shelvesContract from '@chauffeur/contract/operations/shelves';
import type * as contract from '@chauffeur/contract/operations/store';
import type { AccountCaller, Caller, Context } from '../../context.ts';
import { pageOfWhole } from '../../kernel/cursor.ts';
import { type Build, findBuild, findBuilds } from '../builds/builds.ts';
import { isBetaMember } from '../channels/beta.ts';
import { currentPointers, type Pointer } from '../channels/channels.ts';
import {
  type FileRow,
  findFile,
  isOffered,
  isSettled,
  newestOfferedFile,
  newestOfferedFiles,
  type OfferedFile,
  readEntries,
  readScanHistory,
  summaryOf,
} from '../files/files.ts';
import {
  findGameFor,
  type Game,
  readGameAndOwner,
  readTexts,
  requireMember,
  roleOf,
  unknownGame,
} from '../games/games.ts';
import { listingBand } from '../health/health.ts';
import { publicImages } from '../media/media.ts';
import { findMissing, type Missing } from './listing-check.ts';
import { factsOfGame } from './shelves.sql.ts';
import { isListed, isReachable, type Viewer } from './visibility.ts';

type PublicGame = OutputOf<typeof contract.getPublicGame>;
type Offer = PublicGame['downloads'][number];

export async function getPublicGame(
  ctx: Context,
  caller: Caller,
  input: InputOf<typeof contract.getPublicGame>,
): Promise<PublicGame> {
  const { game, role, viewer } = await requireVisibleGame(ctx, caller, input.uid);
  const pointers = await currentPointers(ctx.db, game.game_id, ctx.clock.now());
  const visible = pointers.filter((pointer) => isListed(pointer.channel, viewer, input.channel));
  const [offers, owner, texts, images, health] = await Promise.all([
    offersOf(ctx, game, visible),
    readGameAndOwner(ctx, game.game_id),
    readTexts(ctx, game.game_id),
    publicImages(ctx, game.game_id),
    listingBand(ctx, game.game_id),
  ]);
  return {
    game_uid: game.game_id,
    slug: game.slug,
    name: game.name,
    developer: owner.owner_name,
    developer_handle: owner.owner_handle,
    ...texts,
    visibility: game.visibility,
    published_at: game.published_at?.toISOString() ?? null,
    health,
    role,
    channels: channelsOf(pointers, viewer, input.channel),
    beta: { offered: pointers.some(({ channel }) => channel === 'beta'), joined: viewer.isBetaPlayer },
    downloads: offers,
    ...images,
  };
}

/** The channels between which the caller chooses: stable first, then by name. */
function channelsOf(pointers: readonly Pointer[], viewer: Viewer, asked: string | undefined): string[] {
  const shown = pointers.filter(
    ({ channel }) => isListed(channel, viewer, undefined) || isListed(channel, viewer, asked),
  );
  const names = [...new Set(shown.map(({ channel }) => channel))].sort();
  return [...names.filter((name) => name === 'stable'), ...names.filter((name) => name !== 'stable')];
}

/** What keeps the game from the shelves. Throws 4040. */
export async function getListing(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string },
): Promise<OutputOf<typeof shelvesContract.getListing>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const missing = await findListingProblems(ctx, game.game_id);
  return { passed: missing.length === 0, missing };
}

/** What keeps the game from the shelves; nothing when it is fit for them. */
export async function findListingProblems(ctx: Context, gameId: string): Promise<Missing[]> {
  return findMissing(await factsOfGame(ctx.db, gameId, ctx.clock.now()));
}

async function offersOf(ctx: Context, game: Game, pointers: readonly Pointer[]): Promise<Offer[]> {
  const buildIds = pointers.map(({ build_id }) => build_id);
  const [files, builds] = await Promise.all([
    newestOfferedFiles(ctx.db, game.game_id, buildIds),
    findBuilds(ctx.db, game.game_id, buildIds),
  ]);
  return pointers.flatMap((pointer) => {
    const [file, build] = [files.get(pointer.build_id), builds.get(pointer.build_id)];
    return file === undefined || build === undefined ? [] : [offerOf(ctx, pointer, build, file)];
  });
}

function offerOf(ctx: Context, pointer: Pointer, build: Build, file: OfferedFile): Offer {
  const url = `${ctx.publicUrl}/api/v1/public/games/${file.game_id}/files/${file.file_id}`;
  return {
    channel: pointer.channel,
    os: pointer.os,
    arch: pointer.arch,
    build_id: build.build_id,
    version: build.version,
    title: build.title,
    changelog_items: build.changelog,
    expires_at: pointer.expires_at?.toISOString() ?? null,
    file: summaryOf(file),
    origin: file.origin,
    scanned_at: file.scanned_at.toISOString(),
    download_url: `${url}/download`,
    provenance_url: `${url}/provenance`,
  };
}

type Seen = { readonly game: Game; readonly role: PublicGame['role']; readonly viewer: Viewer };

/** The game with this uid or slug, and what the caller is to it. Throws 4040 also for a draft of others. */
export async function requireVisibleGame(ctx: Context, caller: Caller, ref: string): Promise<Seen> {
  const game = await findGameFor(ctx.db, caller, ref);
  if (game === null) throw unknownGame();
  const role = await roleOf(ctx.db, game, caller);
  if (game.visibility === 'draft' && role === null) throw unknownGame();
  const isBetaPlayer = await isBetaMember(ctx.db, game.game_id, caller);
  return { game, role, viewer: { isMember: role !== null, isBetaPlayer } };
}

export type FileInput = { uid: string; file_uid: string };

/** The file, when the caller may download it. Throws 4040, 4074 and 4099. */
export async function requireDownloadable(
  ctx: Context,
  caller: Caller,
  input: FileInput,
): Promise<{ game: Game; file: FileRow }> {
  const { game, viewer, file } = await requireFile(ctx, caller, input);
  if (!viewer.isMember) await requireOffered(ctx, viewer, file);
  if (!isSettled(file.scan_state))
    throw new ApiError(4099, 'The file is still being scanned; try again when the scan has ended.');
  if (!isOffered(file.scan_state))
    throw new ApiError(4099, 'The file was rejected by its scan and is not kept; upload another.');
  return { game, file };
}

async function requireFile(ctx: Context, caller: Caller, input: FileInput) {
  const { game, viewer } = await requireVisibleGame(ctx, caller, input.uid);
  const file = await findFile(ctx.db, game.game_id, input.file_uid);
  if (file === null) throw new ApiError(4040, 'file_uid: this game has no such file.');
  return { game, viewer, file };
}

/** Players get what a channel that they can see offers now: the newest passed file of the build it points at. */
async function requireOffered(ctx: Context, viewer: Viewer, file: FileRow): Promise<void> {
  const pointers = await currentPointers(ctx.db, file.game_id, ctx.clock.now());
  const reachable = pointers.some(
    (pointer) => pointer.build_id === file.build_id && isReachable(pointer.channel, viewer),
  );
  const newest = reachable ? await newestOfferedFile(ctx.db, file.game_id, file.build_id) : null;
  if (newest?.file_id !== file.file_id) throw new ApiError(4074);
}

export async function getProvenance(
  ctx: Context,
  caller: Caller,
  input: InputOf<typeof contract.getProvenance>,
): Promise<OutputOf<typeof contract.getProvenance>> {
  const { game, viewer, file } = await requireFile(ctx, caller, input);
  if (!viewer.isMember) await requireOffered(ctx, viewer, file);
  const [build, history, entries] = await Promise.all([
    findBuild(ctx.db, game.game_id, file.build_id),
    readScanHistory(ctx.db, file),
    readEntries(ctx.db, file),
  ]);
  if (build === null) throw new ApiError(4040, 'file_uid: this game has no such file.');
  const { items, ...next } = pageOfWhole(['provenance', file.file_id], entries, input);
  return {
    file_uid: file.file_id,
    game_uid: game.game_id,
    build_id: build.build_id,
    version: build.version,
    os: build.os,
    arch: build.arch,
    channel: build.channel,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    uploaded_at: file.uploaded_at.toISOString(),
    origin: file.origin,
    scan: { state: file.scan_state, history: history.map(({ at, ...event }) => ({ at: at.toISOString(), ...event })) },
    entries: [...items],
    ...next,
  };
}
