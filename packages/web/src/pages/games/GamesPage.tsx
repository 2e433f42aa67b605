// All games of a developer in one table.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGames } from '@chauffeur/contract/operations/games';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { Button, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { moveAmongRows, useShortcuts } from '../../frame/use-shortcuts.ts';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactNumber } from '../../ui/say.ts';
import { VISIBILITIES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { WaitingApprovals } from '../approvals/WaitingApprovals.tsx';
import { compareChannels } from '../channels/grid.ts';
import { CreateGame } from './CreateGame.tsx';

type ListedGame = OutputOf<typeof listGames>['games'][number];

const SHORTCUTS = [
  { name: 'down', keys: ['j'], says: 'Next game' },
  { name: 'up', keys: ['k'], says: 'Game before' },
] as const;

export function GamesPage() {
  const { data, error, isPending, refetch } = useQuery(ask(listGames, {}));
  const summaries = useQuery(ask(summarizeGames, {}));
  const [creates, setCreates] = useState(false);
  useShortcuts(SHORTCUTS, (name) => moveAmongRows(name === 'down' ? 1 : -1));
  const create = <Button onClick={() => setCreates(true)}>Create a game</Button>;
  const isEmpty = data?.games.length === 0;
  return (
    <Stack gap="md">
      <PageHead title="Your games">{!isEmpty && create}</PageHead>
      <WaitingApprovals />
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isEmpty && (
        <EmptyState>
          You own no game yet, and administer none. Create one: a name is enough, and the next page shows how its first
          build goes live.
        </EmptyState>
      )}
      {isEmpty && <Group>{create}</Group>}
      {(isPending || (data !== undefined && !isEmpty)) && (
        <Table className={table.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Game</Table.Th>
              <Table.Th>Last build</Table.Th>
              <Table.Th visibleFrom="sm">Channels</Table.Th>
              <Table.Th visibleFrom="sm">Health</Table.Th>
              <Table.Th visibleFrom="sm" ta="right">
                New crashes
              </Table.Th>
              <Table.Th ta="right">Open bugs</Table.Th>
              <Table.Th visibleFrom="sm">Visibility</Table.Th>
              <Table.Th visibleFrom="sm">Your role</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={4} columns={8} />}
            {data?.games.map((game) => (
              <GameRow
                key={game.game_uid}
                game={game}
                summary={summaries.data?.games.find(({ game_uid }) => game_uid === game.game_uid)}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {creates && <CreateGame onClose={() => setCreates(false)} />}
    </Stack>
  );
}

/** Undefined while it is not known. */
type Summary = OutputOf<typeof summarizeGames>['games'][number] | undefined;

function GameRow({ game, summary }: { game: ListedGame; summary: Summary }) {
  return (
    <Table.Tr>
      <Table.Td>
        <SiteLink to="/dev/$slug" params={{ slug: game.slug }} className={table.main} data-row>
          {game.name}
        </SiteLink>
      </Table.Td>
      <Table.Td className={table.small}>
        {game.newest_build === null ? (
          <Text size="sm" c="dimmed">
            None yet
          </Text>
        ) : (
          <>
            {game.newest_build.version}{' '}
            <Text span size="sm" c="dimmed">
              · <Time at={game.newest_build.created_at} />
            </Text>
          </>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Channels channels={game.channels} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {summary !== undefined && (
          <SiteLink to="/dev/$slug/health" params={{ slug: game.slug }} underline="never">
            <BandBadge band={summary.band} />
          </SiteLink>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {summary !== undefined && <NewCrashes game={game} count={summary.new_groups} />}
      </Table.Td>
      <Table.Td ta="right">{summary !== undefined && <OpenBugs slug={game.slug} count={summary.open_bugs} />}</Table.Td>
      <Table.Td visibleFrom="sm">{VISIBILITIES[game.visibility].word}</Table.Td>
      <Table.Td visibleFrom="sm">{game.role === 'owner' ? 'Owner' : 'Admin'}</Table.Td>
    </Table.Tr>
  );
}

/** Groups that were first seen since the newest build. */
function NewCrashes({ game: { slug, newest_build: build }, count }: { game: ListedGame; count: number }) {
  if (count === 0 || build === null) return '–';
  return (
    <SiteLink
      to="/dev/$slug/crashes"
      params={{ slug }}
      search={{ since: build.build_id }}
      title={`Crash groups that were first seen since ${build.version}`}
    >
      {sayExactNumber(count)}
    </SiteLink>
  );
}

function OpenBugs({ slug, count }: { slug: string; count: number }) {
  if (count === 0) return '–';
  return (
    <SiteLink to="/dev/$slug/bugs" params={{ slug }}>
      {sayExactNumber(count)}
      {count >= LIMITS.bugsCounted && ' or more'}
    </SiteLink>
  );
}

/** Versions that a cell has room for. */
const SHOWN = 2;

function Channels({ channels }: Pick<ListedGame, 'channels'>) {
  if (channels.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None live
      </Text>
    );
  }
  return (
    <Group gap="md" style={{ rowGap: 0 }}>
      {channels
        .toSorted((a, b) => compareChannels(a.channel, b.channel))
        .map(({ channel, versions }) => (
          <span key={channel} title={versions.join(', ')}>
            <Text span size="sm" c="dimmed">
              {channel}
              <VisuallyHidden>: </VisuallyHidden>
            </Text>{' '}
            {versions.slice(0, SHOWN).join(', ')}
            {versions.length > SHOWN && ` +${versions.length - SHOWN}`}
          </span>
        ))}
    </Group>
  );
}
