// The dialog for a channel on one platform: the current build, and forms to promote another one or roll back.
import { describeRollback, isOffered } from '@chauffeur/contract/consequences';
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { promoteBuild, rollbackChannel } from '@chauffeur/contract/operations/channels';
import { Button, Divider, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { EmptyState } from '../../ui/DataTable.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { formatDay } from '../../ui/format.ts';
import { Consequences } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time, useNow } from '../../ui/Time.tsx';
import type { ListedBuild } from '../builds/build-columns.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { Pointer } from './channel-grid.ts';
import { Expiry, ExpirySelect } from './Expiry.tsx';
import { type Moves, previewPromotion } from './use-moves.tsx';

type CellDialogProps = {
  game: OpenGame;
  channel: string;
  platform: Platform;
  /** Null if the channel never had a build for this platform. */
  pointer: Pointer | null;
  moves: Moves;
  onClose: () => void;
};

const MAX_CHOICES = 50;

export function CellDialog({ game, channel, platform, pointer, moves, onClose }: CellDialogProps) {
  const { os, arch } = platform as Pick<ListedBuild, 'os' | 'arch'>;
  const { data, error, isPending, refetch } = useQuery(
    ask(listGameBuilds, { uid: game.game_uid, os, arch, state: 'ready', page_size: MAX_CHOICES }),
  );
  return (
    <Dialog title={`${channel} on ${formatPlatform(platform)}`} onClose={onClose}>
      <Stack gap="md">
        {pointer !== null && <CurrentBuild slug={game.slug} pointer={pointer} />}
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {moves.error !== null && <Problem error={moves.error} />}
        {isPending && <Text size="sm">Loading builds…</Text>}
        {data?.builds.length === 0 && <EmptyState>No builds for this platform are ready. Upload one first.</EmptyState>}
        {data !== undefined && data.builds.length > 0 && (
          <Permitted operation={promoteBuild} to="promote builds and roll back">
            <PromoteForm
              game={game}
              channel={channel}
              pointer={pointer}
              builds={data.builds}
              moves={moves}
              onDone={onClose}
            />
          </Permitted>
        )}
        {pointer?.rollback_to != null && (
          <Permitted operation={rollbackChannel}>
            <Rollback game={game} pointer={pointer} moves={moves} onDone={onClose} />
          </Permitted>
        )}
      </Stack>
    </Dialog>
  );
}

function CurrentBuild({ slug, pointer }: { slug: string; pointer: Pointer }) {
  return (
    <Text size="sm">
      {pointer.expired ? 'Expired build: ' : 'Current build: '}
      <SiteLink
        to="/dev/$slug/builds/$buildId"
        params={{ slug, buildId: pointer.build_id }}
        size="sm"
        underline="always"
      >
        {pointer.version}
      </SiteLink>{' '}
      · Changed <Time at={pointer.moved_at} />
      {pointer.expires_at !== null && (
        <>
          {' · '}
          <Expiry at={pointer.expires_at} />
        </>
      )}
    </Text>
  );
}

type PromoteFormProps = {
  game: OpenGame;
  channel: string;
  pointer: Pointer | null;
  builds: readonly ListedBuild[];
  moves: Moves;
  onDone: () => void;
};

function PromoteForm({ game, channel, pointer, builds, moves, onDone }: PromoteFormProps) {
  const [buildId, setBuildId] = useState(pointer?.build_id ?? '');
  const [hours, setHours] = useState(0);
  const now = useNow();
  const build = builds.find(({ build_id }) => build_id === buildId) ?? builds[0];
  if (build === undefined) return null;
  const current = pointer ?? undefined;
  const isSame = isOffered({ build, current });
  const { visibility } = game;
  const { changes, isUnchanged } = previewPromotion({ channel, builds: [{ build, current }], hours, visibility, now });
  return (
    <form
      aria-label="Promote a build"
      onSubmit={(event) => {
        event.preventDefault();
        moves.mutate({ kind: 'promote', channel, builds: [build], hours }, { onSuccess: onDone });
      }}
    >
      <Stack gap="sm">
        <NativeSelect
          label="Build"
          data={builds.map(({ build_id, version, title, created_at }) => ({
            value: build_id,
            label: `${version}${title === version ? '' : ` · ${title}`} · ${formatDay(new Date(created_at))}`,
          }))}
          value={build.build_id}
          onChange={(event) => setBuildId(event.currentTarget.value)}
        />
        <ExpirySelect hours={hours} onChange={setHours} />
        {!isUnchanged && <Consequences lines={changes} />}
        <Group justify="flex-end">
          <Button type="submit" loading={moves.isPending} disabled={isUnchanged}>
            {isSame ? 'Change expiry' : `Promote ${build.version}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type RollbackProps = { game: OpenGame; pointer: Pointer; moves: Moves; onDone: () => void };

function Rollback({ game, pointer, moves, onDone }: RollbackProps) {
  if (pointer.rollback_to === null) return null;
  const to = pointer.rollback_to;
  return (
    <>
      <Divider />
      <Consequences lines={describeRollback({ place: pointer, to, visibility: game.visibility })} />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={moves.isPending}
          onClick={() =>
            moves.mutate({ kind: 'rollback', channel: pointer.channel, platforms: [pointer] }, { onSuccess: onDone })
          }
        >
          Roll back to {to.version}
        </Button>
      </Group>
    </>
  );
}
