// The dialog that deletes one build or several. It lists the consequences and, if players are affected, asks for a name.
import { describeDeletions } from '@chauffeur/contract/consequences';
import { isError } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameBuild, listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannelMoves, listChannels } from '@chauffeur/contract/operations/channels';
import { deleteBuild, getBuildDeletion } from '@chauffeur/contract/operations/deletion';
import { listRejectedUploads } from '@chauffeur/contract/operations/files';
import { listGames } from '@chauffeur/contract/operations/games';
import { deleteVersion, getVersion, listVersions } from '@chauffeur/contract/operations/versions';
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { ConfirmName, DeleteDialog } from '../../ui/Dialog.tsx';
import type { OpenGame } from '../games/use-game.ts';

type Doomed = { readonly build_id: string; readonly version: string } & Platform;

type DeleteBuildsProps = {
  game: OpenGame;
  /** There is at least one. */
  builds: readonly Doomed[];
  onClose: () => void;
  /** Called once all of them are deleted. `only` is what became of a single one, unless it was gone already. */
  onDeleted: (count: number, only?: DeletedBuild) => void;
};

export type DeletedBuild = OutputOf<typeof deleteBuild>;

const CHANGED = [
  listChannels,
  listChannelMoves,
  listGameBuilds,
  listRejectedUploads,
  listGames,
  getVersion,
  listVersions,
].map(({ id }) => id);

export function DeleteBuilds({ game, builds, onClose, onDeleted }: DeleteBuildsProps) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const preview = useDeletion(game, builds);
  const refresh = () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
  const deletion = useMutation({
    mutationFn: () => deleteAll(game.game_uid, builds),
    onSuccess: async (deleted) => {
      onDeleted(deleted.count, deleted.only);
      for (const { build_id } of builds)
        queries.removeQueries({ queryKey: [getGameBuild.id, { uid: game.game_uid, build_id }] });
      await refresh();
    },
    // Of several versions, the builds before the failed one are deleted.
    onError: refresh,
  });
  const [first, ...others] = builds;
  const versions = new Set(builds.map(({ version }) => version));
  const name = versions.size === 1 ? first!.version : game.name;
  const isOne = others.length === 0;
  const needsName = preview.data?.touches_players === true;
  return (
    <DeleteDialog
      title={isOne ? `Delete ${first!.version} for ${formatPlatform(first!)}?` : `Delete ${builds.length} builds?`}
      label={isOne ? 'Delete build' : `Delete ${builds.length} builds`}
      preview={preview}
      previewHeight={160}
      deletion={deletion}
      isSure={!needsName || typed.trim() === name}
      onClose={onClose}
    >
      {needsName && <ConfirmName name={name} typed={typed} onType={setTyped} />}
    </DeleteDialog>
  );
}

/** What the deletion would change. It is always loaded again: the decision must be based on what is true now. */
function useDeletion(game: OpenGame, builds: readonly Doomed[]) {
  return useQueries({
    queries: builds.map(({ build_id }) => ({
      ...ask(getBuildDeletion, { uid: game.game_uid, build_id }),
      staleTime: 0,
      gcTime: 0,
    })),
    combine: (previews) => {
      const loaded = previews.flatMap(({ data }) => data ?? []);
      const isWhole = loaded.length === builds.length;
      return {
        data: isWhole
          ? {
              touches_players: loaded.some((each) => each.touches_players),
              consequences: describeDeletions(loaded.map((each) => deletionOf(each, game))),
            }
          : undefined,
        error: previews.find(({ error }) => error !== null)?.error ?? null,
        isPending: previews.some(({ isPending }) => isPending),
        refetch: () => Promise.all(previews.map(({ refetch }) => refetch())),
      };
    },
  });
}

function deletionOf(preview: OutputOf<typeof getBuildDeletion>, { visibility }: OpenGame) {
  const { version, os, arch, files, bytes, symbols } = preview;
  return {
    build: { version, os, arch },
    channels: preview.channels.map(({ channel }) => channel),
    files,
    bytes,
    symbols,
    uploads: preview.upload_sessions,
    rollouts: preview.rollouts,
    crashReports: preview.crash_reports,
    devices: preview.devices_30_days,
    visibility,
  };
}

type Deleted = { readonly count: number; readonly only?: DeletedBuild | undefined };

/** Several builds of one version are deleted at once, or none of them. */
async function deleteAll(uid: string, builds: readonly Doomed[]): Promise<Deleted> {
  const [version, ...otherVersions] = new Set(builds.map((build) => build.version));
  const isOneChange = builds.length > 1 && builds.length <= LIMITS.versionBuilds && otherVersions.length === 0;
  if (isOneChange && version !== undefined) {
    const input = { uid, version, build_ids: builds.map(({ build_id }) => build_id) };
    return { count: (await call(deleteVersion, input)).builds.length };
  }
  const deleted: DeletedBuild[] = [];
  for (const { build_id } of builds) deleted.push(...(await deleteUnlessGone(uid, build_id)));
  return { count: deleted.length, only: builds.length === 1 ? deleted[0] : undefined };
}

/** Deletes the build. It may be gone already, such as after an attempt whose response was lost. */
async function deleteUnlessGone(uid: string, build_id: string): Promise<DeletedBuild[]> {
  try {
    return [await call(deleteBuild, { uid, build_id })];
  } catch (error) {
    if (isError(error, 'unknownBuild')) return [];
    throw error;
  }
}
