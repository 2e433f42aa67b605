// The channels of a game: the current builds, the history and the beta members.
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  listBetaMembers,
  listChannelMoves,
  listChannels,
  promoteBuild,
  rollbackChannel,
} from '@chauffeur/contract/operations/channels';
import { startRollout } from '@chauffeur/contract/operations/rollouts';
import { ownValue } from '@chauffeur/contract/own-value';
import { Button, Code, Group, NativeSelect, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { PushCommand } from '../../ui/ShellCommand.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { RolloutLines } from '../rollouts/RolloutLines.tsx';
import { StartRollout } from '../rollouts/StartRollout.tsx';
import { BetaMembers } from './BetaMembers.tsx';
import { CellDialog } from './CellDialog.tsx';
import classes from './ChannelGrid.module.css';
import { channelNames, type Emptied, type Grid, gridOf, type Pointer } from './channel-grid.ts';
import { Expiry, useIsExpired } from './Expiry.tsx';
import { RollbackDialog } from './RollbackDialog.tsx';
import { MoveResult, useMoves } from './use-moves.tsx';
import { WithdrawnBuilds } from './WithdrawnBuilds.tsx';

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
  const [rolledBack, setRolledBack] = useState<Rollback | null>(null);
  const [isStarting, setStarting] = useState(false);
  const pointers = data?.channels ?? [];
  const emptied = data?.emptied ?? [];
  const isUsed = pointers.length > 0 || emptied.length > 0;
  const open = (channel: string, platform: Platform) => {
    moves.reset();
    setOpened({ channel, platform });
  };
  const pointer = pointers.find((each) => opened !== null && isAt(each, opened.channel, opened.platform));
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <PageHead title="Channels" tabTitle={`Channels · ${game.name}`}>
          {isUsed && (
            <Permitted operation={startRollout}>
              <Button variant="default" onClick={() => setStarting(true)}>
                Roll out…
              </Button>
            </Permitted>
          )}
        </PageHead>
        {opened === null && rolledBack === null && moves.submittedAt > 0 && <MoveResult moves={moves} />}
      </Stack>
      <RolloutLines game={game} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={260} />}
      {data !== undefined && !isUsed && (
        <EmptyState command={<PushCommand slug={game.slug} />}>
          No builds on any channel yet. A build appears on its channel once its file has passed the scan. This command
          registers one and uploads its files from the folder <Code>dist</Code>:
        </EmptyState>
      )}
      {isUsed && (
        <ChannelGrid
          grid={gridOf(pointers, emptied)}
          emptied={emptied}
          onOpen={open}
          onRollback={(rollback) => {
            moves.reset();
            setRolledBack(rollback);
          }}
        />
      )}
      <WithdrawnBuilds slug={game.slug} withdrawn={data?.withdrawn ?? []} pointers={pointers} />
      {isUsed && (
        <MoveHistory
          game={game}
          channel={history}
          channels={channelNames([...pointers, ...emptied])}
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
      {isStarting && (
        <StartRollout
          game={game}
          onClose={() => setStarting(false)}
          onStarted={(rolloutId) =>
            void navigate({ to: '/dev/$slug/rollouts/$rolloutId', params: { slug: game.slug, rolloutId } })
          }
        />
      )}
      {opened !== null && (
        <CellDialog game={game} {...opened} pointer={pointer ?? null} moves={moves} onClose={() => setOpened(null)} />
      )}
      {rolledBack !== null && (
        <RollbackDialog
          game={game}
          channel={rolledBack.channel}
          platform={rolledBack.platform}
          pointers={pointers.filter(
            (each) =>
              each.channel === rolledBack.channel &&
              (rolledBack.platform === null || isAt(each, rolledBack.channel, rolledBack.platform)),
          )}
          moves={moves}
          onClose={() => setRolledBack(null)}
        />
      )}
    </Stack>
  );
}

/** What to roll back: a channel on one platform, or on all platforms if it is null. */
type Rollback = { readonly channel: string; readonly platform: Platform | null };

type ChannelGridProps = {
  grid: Grid<Pointer>;
  emptied: readonly Emptied[];
  onOpen: (channel: string, platform: Platform) => void;
  onRollback: (rollback: Rollback) => void;
};

const AUDIENCES: Readonly<Record<string, string>> = { stable: 'All players', beta: 'Beta members', dev: 'Developers' };

/** A grid with a row for each channel, a column for each platform, and the current build in each cell. */
function ChannelGrid({ grid, emptied, onOpen, onRollback }: ChannelGridProps) {
  const scans = grid.rows.flatMap(({ cells }) => cells.flatMap((pointer) => pointer?.scan ?? []));
  const isUnscanned = scans.length > 0 && scans.every((scan) => scan === 'unscanned');
  return (
    <Stack gap="xs">
      <table className={classes.grid} aria-label="Channels by platform">
        <thead>
          <tr>
            <th scope="col">Channel</th>
            {grid.platforms.map((platform) => (
              <th key={formatPlatform(platform)} scope="col">
                {formatPlatform(platform)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grid.rows.map(({ channel, cells }) => (
            <tr key={channel}>
              <th scope="row">
                <Text fw={600} size="sm">
                  {channel}
                </Text>
                <Text size="xs" c="dimmed">
                  {ownValue(AUDIENCES, channel) ?? 'Anyone with the link'}
                </Text>
                {cells.some((pointer) => pointer?.rollback_to != null) && (
                  <Permitted operation={rollbackChannel}>
                    <Button
                      size="compact-xs"
                      variant="default"
                      mt={4}
                      aria-label={`Roll back ${channel}`}
                      onClick={() => onRollback({ channel, platform: null })}
                    >
                      Roll back…
                    </Button>
                  </Permitted>
                )}
              </th>
              {cells.map((pointer, index) => {
                const platform = grid.platforms[index]!;
                return (
                  <td key={formatPlatform(platform)} data-platform={formatPlatform(platform)}>
                    <div className={classes.content}>
                      <button type="button" className={classes.cell} onClick={() => onOpen(channel, platform)} data-row>
                        <VisuallyHidden>
                          {channel} on {formatPlatform(platform)}: {pointer === null && 'no build'}
                        </VisuallyHidden>
                        {pointer === null ? (
                          <EmptyCell deleted={emptied.find((each) => isAt(each, channel, platform))} />
                        ) : (
                          <Offer pointer={pointer} showsScan={!isUnscanned} />
                        )}
                      </button>
                      <CellActions
                        channel={channel}
                        platform={platform}
                        pointer={pointer}
                        onChange={() => onOpen(channel, platform)}
                        onRollback={() => onRollback({ channel, platform })}
                      />
                    </div>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {isUnscanned && (
        <Text size="xs" c="dimmed">
          The files are unscanned, because the server has no virus scanner.
        </Text>
      )}
    </Stack>
  );
}

type CellActionsProps = {
  channel: string;
  platform: Platform;
  pointer: Pointer | null;
  onChange: () => void;
  onRollback: () => void;
};

function CellActions({ channel, platform, pointer, onChange, onRollback }: CellActionsProps) {
  const mayPromote = useMay(promoteBuild);
  const mayRollBack = useMay(rollbackChannel);
  const place = `${channel} on ${formatPlatform(platform)}`;
  const earlier = pointer?.rollback_to ?? null;
  return (
    <div className={classes.actions}>
      {mayRollBack && earlier !== null && (
        <button type="button" onClick={onRollback} aria-label={`Roll back to ${earlier.version}: ${place}`}>
          Roll back to {earlier.version}
        </button>
      )}
      {mayPromote && (
        <button
          type="button"
          onClick={onChange}
          aria-label={pointer === null ? `Promote a build to ${place}` : `Change ${place}`}
        >
          {pointer === null ? 'Promote…' : 'Change…'}
        </button>
      )}
    </div>
  );
}

function isAt(pointer: Platform & { readonly channel: string }, channel: string, { os, arch }: Platform): boolean {
  return pointer.channel === channel && pointer.os === os && pointer.arch === arch;
}

function EmptyCell({ deleted }: { deleted: Emptied | undefined }) {
  if (deleted === undefined) {
    return (
      <Text c="dimmed" aria-hidden>
        –
      </Text>
    );
  }
  return (
    <>
      <Text span td="line-through" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {deleted.version}
      </Text>
      <Text span size="xs" c="dimmed">
        Build deleted <Time at={deleted.emptied_at} />
      </Text>
    </>
  );
}

function Offer({ pointer, showsScan }: { pointer: Pointer; showsScan: boolean }) {
  const isExpired = useIsExpired(pointer.expires_at);
  return (
    <>
      <span className={classes.line}>
        <Text span fw={600} td={isExpired ? 'line-through' : undefined} style={{ overflowWrap: 'anywhere' }}>
          {pointer.version}
        </Text>
        {showsScan && pointer.scan !== null && (
          <StateBadge tone={SCANS[pointer.scan].tone}>{SCANS[pointer.scan].label}</StateBadge>
        )}
      </span>
      <Text span size="xs" c="dimmed">
        <Time at={pointer.moved_at} />
        {pointer.expires_at !== null && (
          <>
            {' · '}
            <Expiry at={pointer.expires_at} />
          </>
        )}
      </Text>
    </>
  );
}

type ChannelMove = OutputOf<typeof listChannelMoves>['moves'][number];

type MoveHistoryProps = {
  game: OpenGame;
  channel: string;
  channels: readonly string[];
  onChannel: (channel: string) => void;
};

const INITIAL_ROWS = 10;

/** The history of a channel: each change with its version and platforms, how it happened, and who did it. */
function MoveHistory({ game, channel, channels, onChannel }: MoveHistoryProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(listChannelMoves, { uid: game.game_uid, channel }),
    placeholderData: keepPreviousData,
  });
  const changes = data && changesOf(data.moves);
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
        columns={changeColumns(game.slug)}
        rows={showsAll ? changes : changes?.slice(0, INITIAL_ROWS)}
        rowKey={(change) => keyOf(change)}
        isLoading={isPending}
        skeletonRows={4}
        empty={<Text size="sm">No changes yet on {channel}.</Text>}
      />
      {!showsAll && changes !== undefined && changes.length > INITIAL_ROWS && (
        <Button size="xs" variant="default" onClick={() => setShowsAll(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {changes.length} changes
        </Button>
      )}
    </Stack>
  );
}

/** The moves to one version that were made at once. */
type ChannelChange = ChannelMove & { readonly platforms: readonly string[] };

function keyOf({ change_uid, version, deleted }: ChannelMove): string {
  return `${change_uid} ${version} ${deleted}`;
}

function changesOf(moves: readonly ChannelMove[]): ChannelChange[] {
  return [...Map.groupBy(moves, keyOf).values()].map((made) => ({
    ...made[0]!,
    platforms: made.toSorted(comparePlatforms).map(formatPlatform),
  }));
}

const ACTIONS: Readonly<Record<ChannelMove['action'], string>> = {
  advance: 'New upload',
  promote: 'Promoted',
  rollback: 'Rolled back',
  delete: 'Build deleted',
  undo: 'Undone',
};

function changeColumns(slug: string): Column<ChannelChange>[] {
  return [
    { header: 'Date', cell: ({ at }) => <Time at={at} /> },
    { header: 'Version', cell: (move) => <Version slug={slug} move={move} /> },
    { header: 'Platforms', hiddenBelow: 'sm', cell: ({ platforms }) => platforms.join(', ') },
    { header: 'Change', cell: ({ action }) => ACTIONS[action] },
    { header: 'By', hiddenBelow: 'sm', cell: ({ action, by }) => (action === 'advance' ? '–' : by) },
  ];
}

function Version({ slug, move }: { slug: string; move: ChannelChange }) {
  return (
    <>
      {move.deleted ? (
        <Text span size="sm" td="line-through" title="This build was deleted">
          {move.version}
        </Text>
      ) : (
        <RowLink to="/dev/$slug/version" params={{ slug }} search={{ version: move.version }}>
          {move.version}
        </RowLink>
      )}
      {move.expires_at !== null && (
        <Text span size="sm" c="dimmed">
          {' '}
          · Expiry: <Time at={move.expires_at} />
        </Text>
      )}
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {move.platforms.join(', ')}
      </Text>
    </>
  );
}
