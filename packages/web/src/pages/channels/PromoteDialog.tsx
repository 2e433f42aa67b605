// The dialog that promotes a build to a channel, or builds of one version for several platforms.
import { isOffered } from '@chauffeur/contract/consequences';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Consequences } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useNow } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { ChannelInput } from './ChannelInput.tsx';
import { ExpirySelect } from './Expiry.tsx';
import { formatPlatforms, type Moves, type PromotedBuild, previewPromotion } from './use-moves.tsx';

type PromoteDialogProps = {
  game: OpenGame;
  /** There is at least one. All are of one version, each for another platform. */
  builds: readonly PromotedBuild[];
  moves: Moves;
  onClose: () => void;
  /** Called after the promotion, instead of `onClose`. */
  onDone?: () => void;
};

export function PromoteDialog({ game, builds, moves, onClose, onDone = onClose }: PromoteDialogProps) {
  const [channel, setChannel] = useState('stable');
  const [hours, setHours] = useState(0);
  const now = useNow();
  const { data, error, refetch } = useQuery(ask(listChannels, { uid: game.game_uid }));
  const pointers = data?.channels ?? [];
  const offers = builds.map((build) => ({
    build,
    current: pointers.find(
      (pointer) => pointer.channel === channel && pointer.os === build.os && pointer.arch === build.arch,
    ),
  }));
  const { visibility } = game;
  const { changes, isUnchanged } = previewPromotion({ channel, builds: offers, hours, visibility, now });
  return (
    <Dialog title={`Promote ${builds[0]?.version} for ${formatPlatforms(builds)}`} onClose={onClose}>
      <form
        aria-label="Promote"
        onSubmit={(event) => {
          event.preventDefault();
          moves.mutate({ kind: 'promote', channel, builds, hours }, { onSuccess: onDone });
        }}
      >
        <Stack gap="md">
          {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
          {moves.error !== null && <Problem error={moves.error} />}
          <ChannelInput pointers={pointers} value={channel} onChange={setChannel} />
          <ExpirySelect hours={hours} onChange={setHours} />
          {data !== undefined && channel !== '' && <Consequences lines={changes} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={moves.isPending} disabled={data === undefined || isUnchanged}>
              {offers.every(isOffered) && !isUnchanged ? 'Change expiry' : 'Promote'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
