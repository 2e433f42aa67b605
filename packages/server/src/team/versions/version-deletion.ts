// Deleting a version: all its builds, or those for some platforms, in one transaction, or none of them.
import { describeDeletions } from '@chauffeur/contract/consequences';
import { errors } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import { canonicalArch, canonicalOs, type Platform } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/versions';
import { type Db, retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { type Game, requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { type Build, buildsOfVersion } from '../../ship/builds/builds.ts';
import { deleteBuildsWithin, deletionOf, previewBuilds } from '../build-deletion/build-deletion.ts';

type Preview = OutputOf<typeof contract.getVersionDeletion>;
type Deleted = OutputOf<typeof contract.deleteVersion>;

/** A version, and the platforms whose builds are meant; all by default. */
export type ChosenBuilds = {
  version: string;
  platforms?: readonly { os: string; arch: string }[] | undefined;
  build_ids?: readonly string[] | undefined;
};

export const getVersionDeletion = handle(contract.getVersionDeletion, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const platforms = input.platforms?.split(',').map((platform) => {
    const [os = '', arch = ''] = platform.split('/');
    return { os, arch };
  });
  return previewVersionDeletion(ctx.db, game, { version: input.version, platforms }, ctx.clock.now());
});

/** Returns what deleting these builds now would remove. Throws `unknownBuild` and `invalid`. */
export async function previewVersionDeletion(db: Db, game: Game, chosen: ChosenBuilds, now: Date): Promise<Preview> {
  const builds = await requireBuilds(db, game.game_id, chosen);
  const deletions = await previewBuilds(db, game, builds, now);
  const sum = (numberOf: (deletion: (typeof deletions)[number]) => number) =>
    deletions.reduce((total, deletion) => total + numberOf(deletion), 0);
  return {
    version: builds[0]!.version,
    builds: deletions.map(({ build_id, os, arch }) => ({ build_id, os, arch })),
    channels: deletions.flatMap(({ os, arch, channels }) => channels.map((channel) => ({ ...channel, os, arch }))),
    touches_players: deletions.some(({ touches_players }) => touches_players),
    files: sum(({ files }) => files),
    bytes: sum(({ bytes }) => bytes),
    symbols: sum(({ symbols }) => symbols),
    upload_sessions: sum(({ upload_sessions }) => upload_sessions),
    crash_reports: sum(({ crash_reports }) => crash_reports),
    devices_30_days: sum(({ devices_30_days }) => devices_30_days),
    consequences: describeDeletions(deletions.map((deletion) => deletionOf(game, deletion))),
  };
}

export const deleteVersion = handle(contract.deleteVersion, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const by = { movedBy: caller.user.name, now: ctx.clock.now() };
  // An upload that is being completed and the deletion may wait for each other's locks.
  return retryConflicts(() => transact(ctx.db, (tx) => deleteVersionWithin(tx, game.game_id, input, by)));
});

/** Deletes all of these builds within a transaction. Throws `unknownBuild` and `invalid`. */
export async function deleteVersionWithin(
  tx: Tx,
  gameId: string,
  chosen: ChosenBuilds,
  by: { movedBy: string; now: Date },
): Promise<Deleted> {
  const builds = await requireBuilds(tx, gameId, chosen);
  const { channels, files } = await deleteBuildsWithin(tx, { gameId, builds, ...by });
  return {
    version: builds[0]!.version,
    builds: builds.map(({ build_id, os, arch }) => ({ build_id, os, arch })),
    channels: channels.map(({ channel, os, arch }) => ({ channel, os, arch })),
    files,
  };
}

async function requireBuilds(
  db: Db,
  gameId: string,
  { version: typed, platforms, build_ids: ids }: ChosenBuilds,
): Promise<Build[]> {
  const version = typed.trim();
  const all = await buildsOfVersion(db, gameId, version);
  if (all.length === 0)
    throw errors.unknownBuild('version: this game has no such version. List the versions and use one of them.');
  const wanted = platforms?.map(({ os, arch }) => ({ os: canonicalOs(os), arch: canonicalArch(arch) }));
  const missing = wanted?.find((platform) => !all.some((build) => isOn(build, platform)));
  if (missing !== undefined)
    throw errors.unknownBuild(
      `platforms: ${version} has no build for ${formatPlatform(missing)}. Nothing was deleted.`,
    );
  const named = ids && new Set(ids.map((id) => id.toLowerCase()));
  const unknown = named?.difference(new Set(all.map(({ build_id }) => build_id)));
  if (unknown !== undefined && unknown.size > 0)
    throw errors.unknownBuild(`build_ids: ${version} has no build ${[...unknown][0]}. Nothing was deleted.`);
  const chosen = all
    .filter((build) => wanted?.some((platform) => isOn(build, platform)) ?? true)
    .filter(({ build_id }) => named?.has(build_id) ?? true);
  if (chosen.length === 0)
    throw errors.unknownBuild('build_ids: none of these builds is for the platforms. Nothing was deleted.');
  if (chosen.length > LIMITS.versionBuilds)
    throw errors.invalid(
      `platforms: these are ${chosen.length} builds, and at most ${LIMITS.versionBuilds} are deleted at once. Name fewer platforms, or delete builds on their own.`,
    );
  // All deletions lock builds in the same order.
  return chosen.sort((a, b) => (a.build_id < b.build_id ? -1 : 1));
}

function isOn(build: Build, { os, arch }: Platform): boolean {
  return build.os === os && build.arch === arch;
}
