// The crash groups of a game as a list, with their totals above it, or what can be done with the selected groups.

import { formatCompactNumber, formatNumber, formatOs } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import {
  countCrashGroups,
  type GroupOrder,
  listCrashGroups,
  PRIORITIES,
} from '@chauffeur/contract/operations/crash-groups';
import { changeCrashGroups } from '@chauffeur/contract/operations/triage';
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, call } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { selectColumn, useSelection } from '../../ui/SelectRows.tsx';
import { ShowNewButton } from '../../ui/ShowMore.tsx';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { LiveRow } from '../../ui/table-rows.ts';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { CrashTitle } from './CrashTitle.tsx';
import type { CrashFilters } from './crash-filters.ts';
import classes from './crashes.module.css';
import { formatReason, nameBuilds } from './describe-crash.ts';
import { formatDone, PRIORITY_NAMES, PRIORITY_TONES } from './describe-group.ts';
import { GroupBadge, type ListedGroup, type NewestBuild, StatusButtons, TriageResult } from './GroupStatus.tsx';
import { Sparkline } from './TrendChart.tsx';
import { useLiveList } from './use-live-list.ts';
import { type Triage, useTriage } from './use-triage.ts';

type GroupListProps = {
  game: OpenGame;
  filters: CrashFilters;
  /** The builds of the game, newest first. */
  builds: readonly NewestBuild[];
  onSort: (sort: GroupOrder) => void;
  /** Shown instead of a list without groups. */
  empty: ReactNode;
};

export function GroupList({ game, filters, builds, onSort, empty }: GroupListProps) {
  const { kind, query, sort } = filters;
  const input = { uid: game.game_uid, kind, sort, ...(query !== '' && { query }) };
  const list = useLiveList({
    queryKey: [listCrashGroups.id, input],
    loadPage: async (cursor, signal) => {
      const page = await call(listCrashGroups, { ...input, ...(cursor !== undefined && { cursor }) }, signal);
      return { items: page.groups, next: page.next_cursor };
    },
    idOf: ({ group_id }: ListedGroup) => group_id,
  });
  const triage = useTriage();
  const mayTriage = useMay(changeCrashGroups);
  const [selected, setSelected] = useSelection('groups');
  const shown = list.rows ?? [];
  const selectedGroups = shown
    .filter(({ item, isGone }) => selected.includes(item.group_id) && !isGone)
    .map(({ item }) => item);
  return (
    <>
      <TriageResult triage={triage} />
      <Group justify="space-between" gap="sm" className={classes.head}>
        {selectedGroups.length > 0 ? (
          <BulkBar groups={selectedGroups} triage={triage} onClear={() => setSelected([])} />
        ) : (
          <GroupTotals gameUid={game.game_uid} kind={kind} query={query} />
        )}
        <ShowNewButton list={list} format={formatShowNew} />
      </Group>
      <PagedTable
        label="Crash groups"
        keepsColumns
        list={list}
        columns={[
          ...(mayTriage ? [selectColumn({ ...SELECTABLE, selected, onSelect: setSelected, rows: shown })] : []),
          ...groupColumns(game.slug, builds[0], { kind, sort, onSort }),
        ]}
        rowKey={({ item }) => item.group_id}
        skeletonRows={8}
        isFixed
        empty={empty}
        more="Show more groups"
      />
    </>
  );
}

const SELECTABLE = {
  idOf: ({ item }: LiveRow<ListedGroup>) => item.group_id,
  nameOf: ({ item }: LiveRow<ListedGroup>) => item.title,
  isGone: ({ isGone }: LiveRow<ListedGroup>) => isGone,
  /** The API changes at most this many groups at once. */
  max: LIMITS.crashGroupsChanged,
};

function formatShowNew(count: number, isAtLeast: boolean): string {
  if (isAtLeast) return `Show ${count} or more new groups`;
  return count === 1 ? 'Show 1 new group' : `Show ${count} new groups`;
}

type Order = Pick<CrashFilters, 'kind' | 'sort'> & { readonly onSort: (sort: GroupOrder) => void };

function groupColumns(
  slug: string,
  newest: NewestBuild | undefined,
  { kind, sort, onSort }: Order,
): Column<LiveRow<ListedGroup>>[] {
  const sortedBy = (order: GroupOrder) => ({ isSorted: sort === order, onSort: () => onSort(order) });
  return [
    {
      header: kind === 'crash' ? 'Crash' : 'Error',
      cell: (row) => <GroupTitle slug={slug} row={row} newest={newest} />,
    },
    {
      header: 'Assignee',
      hiddenBelow: 'md',
      width: 96,
      overflow: 'ellipsis',
      title: ({ item }) => item.assignee?.name,
      cell: ({ item }) => item.assignee?.name ?? '–',
    },
    { header: 'Last 30 days', hiddenBelow: 'sm', width: 110, cell: ({ item }) => <Sparkline days={item.days} /> },
    {
      header: 'Reports',
      align: 'right',
      width: 92,
      order: sortedBy('reports'),
      title: ({ item }) => formatNumber(item.count),
      cell: ({ item }) => formatCompactNumber(item.count),
    },
    {
      header: 'Devices',
      align: 'right',
      hiddenBelow: 'sm',
      width: 72,
      title: ({ item }) => formatNumber(item.devices),
      order: sortedBy('devices'),
      // Reports from clients that send no device ID are not counted.
      cell: ({ item }) => (item.devices === 0 ? '–' : formatCompactNumber(item.devices)),
    },
    {
      header: 'Builds',
      hiddenBelow: 'md',
      width: 'clamp(124px, 11vw, 220px)',
      overflow: 'ellipsis',
      cell: ({ item }) => <Where group={item} slug={slug} />,
    },
    {
      header: 'Last seen',
      hiddenBelow: 'sm',
      width: 152,
      order: sortedBy('last_seen'),
      overflow: 'nowrap',
      cell: ({ item }) => (
        <TwoLines>
          <Time at={item.last_seen} />
          <span>
            first <Time at={item.first_seen} />
          </span>
        </TwoLines>
      ),
    },
  ];
}

/** Two lines in a cell. The second one is less important. */
function TwoLines({ children: [first, second] }: { children: readonly [ReactNode, ReactNode] }) {
  return (
    <>
      <div className={classes.line}>{first}</div>
      <div className={`${classes.line} ${classes.second}`}>{second}</div>
    </>
  );
}

type GroupTitleProps = { slug: string; row: LiveRow<ListedGroup>; newest: NewestBuild | undefined };

function GroupTitle({ slug, row: { item: group, isGone }, newest }: GroupTitleProps) {
  if (isGone) {
    return (
      <div className={classes.what}>
        <span className={`${classes.title} ${classes.gone}`} title="Its reports moved to another group">
          {group.title}
        </span>
        moved
      </div>
    );
  }
  return (
    <div className={classes.group}>
      <RowLink
        to="/dev/$slug/crashes/groups/$groupId"
        params={{ slug, groupId: group.group_id }}
        className={classes.title}
        title={group.title}
        // Otherwise its name would have spaces between the parts.
        aria-label={group.title}
      >
        <CrashTitle title={group.title} />
      </RowLink>
      <GroupSubtitle group={group} newest={newest} />
      <div className={`${classes.line} ${classes.phoneOnly}`}>
        seen <Time at={group.last_seen} />
      </div>
    </div>
  );
}

type GroupSubtitleProps = { group: ListedGroup; newest: NewestBuild | undefined };

/**
 * The second line of a group: badges, the signature behind a custom title, the message or else the line of the source
 * code, and the reason. It is empty without any of them.
 */
function GroupSubtitle({ group, newest }: GroupSubtitleProps) {
  const details = [
    group.title === group.signature ? '' : group.signature,
    group.message === group.title ? '' : group.message || (group.culprit ?? ''),
    ...formatWhy(group.reason),
  ].filter((text) => text !== '');
  return (
    <div className={classes.subtitle}>
      {group.priority !== null && (
        <StateBadge tone={PRIORITY_TONES[group.priority]}>{PRIORITY_NAMES[group.priority]}</StateBadge>
      )}
      <GroupBadge group={group} newest={newest} isShort />
      {details.length > 0 && (
        <span className={classes.reason} title={details.join(' · ')}>
          {details.join(' · ')}
        </span>
      )}
    </div>
  );
}

function formatWhy(reason: string | null): string[] {
  if (reason === null) return [];
  return [formatReason(reason, null)?.replace(/\.$/, '') ?? reason];
}

/**
 * The version with the most reports and the number of other builds, with the counts by version on hover; and the OS.
 */
function Where({ group: { builds, build_count: buildCount, oses }, slug }: { group: ListedGroup; slug: string }) {
  const [first] = builds;
  const names = nameBuilds(builds);
  const counts = builds.map(({ count }, index) => `${names[index]}: ${count}`).join('\n');
  return (
    <TwoLines>
      {first === undefined ? (
        '–'
      ) : (
        <span title={buildCount > builds.length ? `${counts}\n…` : counts}>
          {first.version === '' ? (
            'deleted'
          ) : (
            <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version: first.version }} size="sm">
              {first.version}
            </SiteLink>
          )}
          {buildCount > 1 && ` +${buildCount - 1}`}
        </span>
      )}
      {oses.map(({ os }) => formatOs(os)).join(', ')}
    </TwoLines>
  );
}

const POLL_MS = 15_000;

/** Says how many crash groups match the query, and how many reports they have. */
type GroupTotalsProps = Pick<CrashFilters, 'kind' | 'query'> & { gameUid: string };

function GroupTotals({ gameUid, kind, query }: GroupTotalsProps) {
  const { data } = useQuery({
    ...ask(countCrashGroups, { uid: gameUid, kind, ...(query !== '' && { query }) }),
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(POLL_MS),
    meta: follow('crashes'),
  });
  if (data === undefined || data.groups === null || data.reports === null || data.groups === 0) return null;
  const { groups, reports } = data;
  const isPart = groups >= LIMITS.crashGroupsCounted;
  return (
    <Text size="sm" c="dimmed">
      {isPart && 'At least '}
      {formatItems(groups, 'group')} · {formatItems(reports, 'report')}
    </Text>
  );
}

type BulkBarProps = {
  groups: readonly ListedGroup[];
  triage: Triage;
  onClear: () => void;
};

/** The empty value of a select that acts when another value is chosen. */
const UNCHANGED = '';
const NONE = 'none';

/** What can be done with the crash groups that are selected in the list. */
function BulkBar({ groups, triage, onClear }: BulkBarProps) {
  const { members } = useGame();
  const ids = groups.map(({ group_id }) => group_id);
  const choose = (
    input: { assignee: string | null } | { priority: (typeof PRIORITIES)[number] | null },
    done: string,
  ) => triage.mutate({ kind: 'change', input: { group_ids: ids, ...input }, message: formatDone(ids.length, done) });
  return (
    <Group gap="sm" className={table.bulk} role="group" aria-label="Selected groups">
      <Text size="sm" fw={600}>
        {groups.length} selected
      </Text>
      <StatusButtons size="xs" statuses={groups.map(({ status }) => status)} groupIds={ids} triage={triage} />
      <NativeSelect
        aria-label="Assign to"
        size="xs"
        disabled={triage.isPending}
        value={UNCHANGED}
        data={[
          { value: UNCHANGED, label: 'Assign to…' },
          { value: NONE, label: 'No one' },
          ...members.map(({ user_id, name }) => ({ value: user_id, label: name })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          if (value === UNCHANGED) return;
          const name = members.find(({ user_id }) => user_id === value)?.name;
          choose(
            { assignee: name === undefined ? null : value },
            name === undefined ? 'unassigned' : `assigned to ${name}`,
          );
        }}
      />
      <NativeSelect
        aria-label="Set priority"
        size="xs"
        disabled={triage.isPending}
        value={UNCHANGED}
        data={[
          { value: UNCHANGED, label: 'Set priority…' },
          ...PRIORITIES.map((value) => ({ value, label: PRIORITY_NAMES[value] })),
          { value: NONE, label: 'None' },
        ]}
        onChange={({ currentTarget: { value } }) => {
          if (value === UNCHANGED) return;
          const priority = PRIORITIES.find((each) => each === value) ?? null;
          choose(
            { priority },
            priority === null ? 'without priority now' : `set to ${PRIORITY_NAMES[priority].toLowerCase()} priority`,
          );
        }}
      />
      {groups.length > 1 && groups.length <= LIMITS.crashGroupsMerged && (
        <Button
          size="xs"
          variant="default"
          disabled={triage.isPending}
          onClick={() => {
            triage.mutate({
              kind: 'merge',
              input: { group_ids: ids },
              message: formatDone(ids.length, 'merged into one'),
            });
            onClear();
          }}
        >
          Merge
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  );
}
