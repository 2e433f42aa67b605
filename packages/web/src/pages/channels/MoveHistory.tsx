// The history of a channel: each move with its build, how it happened, and who did it.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listChannelMoves } from '@chauffeur/contract/operations/channels';
import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';

type ChannelMove = OutputOf<typeof listChannelMoves>['moves'][number];

type MoveHistoryProps = {
  game: OpenGame;
  channel: string;
  channels: readonly string[];
  onChannel: (channel: string) => void;
};

const INITIAL_ROWS = 10;

export function MoveHistory({ game, channel, channels, onChannel }: MoveHistoryProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(listChannelMoves, { uid: game.game_uid, channel }),
    placeholderData: keepPreviousData,
  });
  const moves = data?.moves ?? [];
  return (
    <Stack gap="xs" component="section" aria-labelledby="history">
      <Group justify="space-between">
        <Title order={2} size="h4" id="history">
          History
        </Title>
        <NativeSelect
          aria-label="Channel"
          size="xs"
          data={[...new Set([...channels, channel])]}
          value={channel}
          onChange={(event) => onChannel(event.currentTarget.value)}
        />
      </Group>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="History"
        keepsColumns
        columns={moveColumns(game.slug)}
        rows={data === undefined || showsAll ? data?.moves : moves.slice(0, INITIAL_ROWS)}
        rowKey={(move) => `${move.at} ${move.os} ${move.arch} ${move.build_id}`}
        isLoading={isPending}
        skeletonRows={4}
        empty={<Text size="sm">No changes yet on {channel}.</Text>}
      />
      {!showsAll && moves.length > INITIAL_ROWS && (
        <Button size="xs" variant="default" onClick={() => setShowsAll(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {moves.length} changes
        </Button>
      )}
    </Stack>
  );
}

const ACTIONS: Readonly<Record<ChannelMove['action'], string>> = {
  advance: 'New upload',
  promote: 'Promoted',
  rollback: 'Rolled back',
  delete: 'Build deleted',
};

function moveColumns(slug: string): Column<ChannelMove>[] {
  return [
    { header: 'Date', cell: ({ at }) => <Time at={at} /> },
    { header: 'Version', cell: (move) => <Version slug={slug} move={move} /> },
    { header: 'Platform', cell: formatPlatform },
    { header: 'Change', cell: ({ action }) => ACTIONS[action] },
    { header: 'By', hiddenBelow: 'sm', cell: ({ action, by }) => (action === 'advance' ? '–' : by) },
  ];
}

function Version({ slug, move }: { slug: string; move: ChannelMove }) {
  return (
    <>
      {move.deleted ? (
        <Text span size="sm" td="line-through" title="This build was deleted">
          {move.version}
        </Text>
      ) : (
        <RowLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: move.build_id }}>
          {move.version}
        </RowLink>
      )}
      {move.expires_at !== null && (
        <Text span size="sm" c="dimmed">
          {' '}
          · Expiry: <Time at={move.expires_at} />
        </Text>
      )}
    </>
  );
}
