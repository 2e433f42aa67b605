// The channels of a game: the current builds, the history and the beta members.
import type { Platform } from '@chauffeur/contract/identity';
import { listBetaMembers, listChannels } from '@chauffeur/contract/operations/channels';
import { Code, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { EmptyState } from '../../ui/DataTable.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { PushCommand } from '../../ui/ShellCommand.tsx';
import { useGame } from '../games/use-game.ts';
import { BetaMembers } from './BetaMembers.tsx';
import { CellDialog } from './CellDialog.tsx';
import { ChannelGrid } from './ChannelGrid.tsx';
import { channelNames, gridOf } from './grid.ts';
import { MoveHistory } from './MoveHistory.tsx';
import { MoveResult, useMoves } from './use-moves.tsx';

const route = getRouteApi('/signed-in/dev/$slug/channels');

export function ChannelsPage() {
  const game = useGame();
  const { history = 'stable' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery({
    ...ask(listChannels, { uid: game.game_uid }),
    meta: follow('builds'),
  });
  const moves = useMoves(game.game_uid);
  const [opened, setOpened] = useState<{ channel: string; platform: Platform } | null>(null);
  const places = data?.channels ?? [];
  const emptied = data?.emptied ?? [];
  const isUsed = places.length > 0 || emptied.length > 0;
  const open = (channel: string, platform: Platform) => {
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
        <PageHead title="Channels" tabTitle={`Channels · ${game.name}`} />
        {opened === null && moves.submittedAt > 0 && <MoveResult moves={moves} />}
      </Stack>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={260} />}
      {data !== undefined && !isUsed && (
        <EmptyState command={<PushCommand slug={game.slug} />}>
          No builds on any channel yet. A build appears on its channel once its file has passed the scan. This command
          registers one and uploads its files from the folder <Code>dist</Code>:
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
      {isUsed && (
        <Section title="Beta members">
          <Permitted operation={listBetaMembers} to="see them">
            <BetaMembers game={game} />
          </Permitted>
        </Section>
      )}
      {opened !== null && (
        <CellDialog game={game} {...opened} place={place ?? null} moves={moves} onClose={() => setOpened(null)} />
      )}
    </Stack>
  );
}
