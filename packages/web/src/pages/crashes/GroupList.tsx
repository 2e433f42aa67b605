// The crash groups of a game, most recently seen first.
import { formatCompactNumber, formatNumber, formatOs } from '@chauffeur/contract/format';
import { listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { call } from '../../api.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { RowLink } from '../../ui/RowLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import type { CrashFilters } from './filters.ts';
import { GroupBadge, type ListedGroup, type NewestBuild } from './GroupBadge.tsx';
import type { LiveRow } from './merge-fresh.ts';
import { NoCrashes } from './NoCrashes.tsx';
import { ShowNewButton } from './ShowNewButton.tsx';
import { Sparkline } from './Sparkline.tsx';
import { useLiveList } from './use-live-list.ts';

type GroupListProps = {
  game: OpenGame;
  filters: CrashFilters;
  newest: NewestBuild | undefined;
  /** Removes all filters. */
  onReset: () => void;
};

export function GroupList({ game, filters, newest, onReset }: GroupListProps) {
  const { build, since, status } = filters;
  const input = {
    uid: game.game_uid,
    ...(build !== undefined && { build_id: build }),
    ...(since !== undefined && { since_build: since }),
    ...(status !== 'all' && { status }),
  };
  const list = useLiveList({
    queryKey: [listCrashGroups.id, input],
    loadPage: async (cursor, signal) => {
      const page = await call(listCrashGroups, { ...input, ...(cursor !== undefined && { cursor }) }, signal);
      return { items: page.groups, next: page.next_cursor };
    },
    idOf: ({ group_id }: ListedGroup) => group_id,
  });
  return (
    <>
      <ShowNewButton list={list} format={formatShowNew} />
      <PagedTable
        label="Crash groups"
        list={list}
        columns={groupColumns(game.slug, newest)}
        rowKey={({ item }) => item.group_id}
        skeletonRows={8}
        isFixed
        empty={<NoCrashes game={game} filters={filters} onReset={onReset} />}
        more="Show more groups"
      />
    </>
  );
}

function formatShowNew(count: number, isAtLeast: boolean): string {
  if (isAtLeast) return `Show ${count} or more new groups`;
  return count === 1 ? 'Show 1 new group' : `Show ${count} new groups`;
}

function groupColumns(slug: string, newest: NewestBuild | undefined): Column<LiveRow<ListedGroup>>[] {
  return [
    { header: 'Crash', cell: (row) => <GroupTitle slug={slug} row={row} newest={newest} /> },
    {
      header: 'Reason',
      hiddenBelow: 'md',
      width: 204,
      overflow: 'ellipsis',
      title: ({ item }) => item.reason ?? undefined,
      cell: ({ item }) => item.reason ?? '–',
    },
    { header: 'Last 30 days', hiddenBelow: 'sm', width: 110, cell: ({ item }) => <Sparkline days={item.days} /> },
    {
      header: 'Reports',
      align: 'right',
      width: 72,
      title: ({ item }) => formatNumber(item.count),
      cell: ({ item }) => formatCompactNumber(item.count),
    },
    {
      header: 'Builds',
      hiddenBelow: 'md',
      width: 104,
      overflow: 'ellipsis',
      cell: ({ item }) => <Versions group={item} />,
    },
    {
      header: 'OS',
      hiddenBelow: 'md',
      width: 90,
      overflow: 'ellipsis',
      cell: ({ item }) => item.oses.map(({ os }) => formatOs(os)).join(', '),
    },
    {
      header: 'First seen',
      hiddenBelow: 'md',
      width: 112,
      overflow: 'nowrap',
      cell: ({ item }) => <Time at={item.first_seen} />,
    },
    { header: 'Last seen', width: 112, overflow: 'nowrap', cell: ({ item }) => <Time at={item.last_seen} /> },
  ];
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
    <div className={classes.what}>
      <RowLink
        to="/dev/$slug/crashes/groups/$groupId"
        params={{ slug, groupId: group.group_id }}
        className={classes.title}
        title={group.title}
      >
        {group.title}
      </RowLink>
      <GroupBadge group={group} newest={newest} isShort />
    </div>
  );
}

/** The version with the most reports and the number of other builds; the tooltip has the counts by version. */
function Versions({ group: { builds, build_count: buildCount } }: { group: ListedGroup }) {
  const [first] = builds;
  if (first === undefined) return '–';
  const counts = builds.map(({ version, count }) => `${version || 'deleted build'}: ${count}`).join('\n');
  return (
    <span title={buildCount > builds.length ? `${counts}\n…` : counts}>
      {first.version || 'deleted'}
      {buildCount > 1 && ` +${buildCount - 1}`}
    </span>
  );
}
