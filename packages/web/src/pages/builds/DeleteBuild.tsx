// The dialog that deletes a build. It lists the consequences and, if players are affected, asks for the version.
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteBuild, getBuildDeletion } from '@chauffeur/contract/operations/build-deletion';
import { getGameBuild, listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannelMoves, listChannels } from '@chauffeur/contract/operations/channels';
import { listRejectedUploads } from '@chauffeur/contract/operations/files';
import { listGames } from '@chauffeur/contract/operations/games';
import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import type { OpenGame } from '../games/use-game.ts';

type DeleteBuildProps = {
  game: OpenGame;
  build: { build_id: string; version: string } & Platform;
  onClose: () => void;
  onDeleted: (deleted: DeletedBuild) => void;
};

export type DeletedBuild = OutputOf<typeof deleteBuild>;

const CHANGED = [listChannels, listChannelMoves, listGameBuilds, listRejectedUploads, listGames].map(({ id }) => id);

export function DeleteBuild({ game, build, onClose, onDeleted }: DeleteBuildProps) {
  const target = { uid: game.game_uid, build_id: build.build_id };
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  // Always loaded again: the decision must be based on the current consequences.
  const { data, error, isPending, refetch } = useQuery({ ...ask(getBuildDeletion, target), staleTime: 0, gcTime: 0 });
  const deleting = useMutation({
    mutationFn: () => call(deleteBuild, target),
    onSuccess: async (deleted) => {
      onDeleted(deleted);
      queries.removeQueries({ queryKey: [getGameBuild.id, target] });
      await Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
  });
  const isSure = data !== undefined && (!data.touches_players || typed.trim() === build.version);
  return (
    <Dialog title={`Delete ${build.version} for ${formatPlatform(build)}?`} onClose={onClose}>
      <form
        aria-label="Delete build"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure) deleting.mutate();
        }}
      >
        <Stack gap="md">
          {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
          {deleting.error !== null && <Problem error={deleting.error} />}
          {isPending && <Skeleton h={160} />}
          {data !== undefined && <Consequences lines={data.consequences} />}
          {data?.touches_players === true && (
            <TextInput
              label={`Type ${build.version} to confirm`}
              data-autofocus
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" loading={deleting.isPending} disabled={!isSure}>
              Delete build
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Shown on the build's page after the build was deleted. */
export function BuildDeleted({ slug, deleted }: { slug: string; deleted: DeletedBuild }) {
  const { version, channels } = deleted;
  return (
    <div role="status">
      <Notice tone="good" title={`${version} deleted`}>
        <Text size="sm">
          {channels.length === 0
            ? 'No channel offered it. Nothing changes for players.'
            : `Channels that no longer offer a build for this platform: ${channels.join(', ')}.`}
        </Text>
        <Group gap="md">
          <SiteLink to="/dev/$slug/builds" params={{ slug }} size="sm">
            All builds
          </SiteLink>
          {channels.length > 0 && (
            <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm">
              Offer another build
            </SiteLink>
          )}
        </Group>
      </Notice>
    </div>
  );
}
