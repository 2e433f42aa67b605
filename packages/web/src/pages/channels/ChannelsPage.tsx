// What every channel offers on every platform, and how it came there.
import { listChannels } from '@chauffeur/contract/operations/channels';
import type { PlatformWords } from '@chauffeur/contract/platform-words';
import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import { BetaMembers } from './BetaMembers.tsx';
import { ChannelGrid } from './ChannelGrid.tsx';
import { channelNames, gridOf } from './grid.ts';
import { MoveHistory } from './MoveHistory.tsx';
import { MoveResult } from './MoveResult.tsx';
import { PlaceDialog } from './PlaceDialog.tsx';
import { useMoves } from './use-moves.ts';

const route = getRouteApi('/signed-in/dev/$slug/channels');

export function ChannelsPage() {
  const game = useGame();
  const { history = 'stable' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery(ask(listChannels, { uid: game.game_uid }));
  const moves = useMoves(game.game_uid);
  const [opened, setOpened] = useState<{ channel: string; platform: PlatformWords } | null>(null);
  const places = data?.channels ?? [];
  const emptied = data?.emptied ?? [];
  const isUsed = places.length > 0 || emptied.length > 0;
  const open = (channel: string, platform: PlatformWords) => {
    moves.reset();
    setOpened({ channel, platform });
  };
  const place = places.find(
    ({ channel, os, arch }) =>
      channel === opened?.channel && os === opened.platform.os && arch === opened.platform.arch,
  );
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <PageHead title="Channels" tab={`Channels · ${game.name}`} />
        {opened === null && moves.submittedAt > 0 && <MoveResult moves={moves} />}
      </Stack>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={260} />}
      {data !== undefined && !isUsed && (
        <EmptyState command="chauffeur addfiles --asset addfiles.yml --wait">
          No channel offers anything yet. A build’s channel points at it as soon as a file of it has passed its scan.
        </EmptyState>
      )}
      {isUsed && <ChannelGrid grid={gridOf(places, emptied)} emptied={emptied} onOpen={open} />}
      {isUsed && (
        <MoveHistory
          game={game}
          channel={history}
          channels={channelNames([...places, ...emptied])}
          onChannel={(channel) => void navigate({ search: { history: channel }, replace: true })}
        />
      )}
      {isUsed && <BetaMembers game={game} />}
      {opened !== null && (
        <PlaceDialog game={game} {...opened} place={place ?? null} moves={moves} onClose={() => setOpened(null)} />
      )}
    </Stack>
  );
}
