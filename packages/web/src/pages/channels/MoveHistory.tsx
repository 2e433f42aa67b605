// Who moved a channel, from what to what, and when.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listChannelMoves } from '@chauffeur/contract/operations/channels';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Button, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';

type MoveHistoryProps = {
  game: OpenGame;
  channel: string;
  channels: readonly string[];
  onChannel: (channel: string) => void;
};

const SHOWN = 10;

export function MoveHistory({ game, channel, channels, onChannel }: MoveHistoryProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(listChannelMoves, { uid: game.game_uid, channel }),
    placeholderData: keepPreviousData,
  });
  const moves = data?.moves ?? [];
  const shown = showsAll ? moves : moves.slice(0, SHOWN);
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
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && moves.length === 0 && <Text size="sm">{channel} was never moved.</Text>}
      {(isPending || moves.length > 0) && (
        <Table className={table.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>Version</Table.Th>
              <Table.Th>Platform</Table.Th>
              <Table.Th>How</Table.Th>
              <Table.Th visibleFrom="sm">By</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={4} columns={5} />}
            {shown.map((move) => (
              <MoveRow key={`${move.at} ${move.os} ${move.arch} ${move.build_id}`} slug={game.slug} move={move} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {shown.length < moves.length && (
        <Button size="xs" variant="default" onClick={() => setShowsAll(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {moves.length} moves
        </Button>
      )}
    </Stack>
  );
}

type ChannelMove = OutputOf<typeof listChannelMoves>['moves'][number];

const HOW: Readonly<Record<ChannelMove['action'], string>> = {
  advance: 'Newer upload',
  promote: 'Promoted',
  rollback: 'Rolled back',
  delete: 'Build deleted',
};

function MoveRow({ slug, move }: { slug: string; move: ChannelMove }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Time at={move.at} />
      </Table.Td>
      <Table.Td>
        {move.deleted ? (
          <Text span size="sm" td="line-through" title="This build was deleted">
            {move.version}
          </Text>
        ) : (
          <SiteLink
            to="/dev/$slug/builds/$buildId"
            params={{ slug, buildId: move.build_id }}
            className={table.main}
            data-row
          >
            {move.version}
          </SiteLink>
        )}
        {move.expires_at !== null && (
          <Text span size="sm" c="dimmed">
            {' '}
            · until <Time at={move.expires_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>{sayPlatform(move)}</Table.Td>
      <Table.Td>{HOW[move.action]}</Table.Td>
      <Table.Td visibleFrom="sm">{move.action === 'advance' ? '–' : move.by}</Table.Td>
    </Table.Tr>
  );
}
