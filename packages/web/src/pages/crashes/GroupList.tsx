// Crash groups, those seen last first, as rows that are kept up to date where they stand.
import { listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { sayOs } from '@chauffeur/contract/platform-words';
import { Table } from '@mantine/core';
import { call } from '../../api.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayCount, sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import type { CrashFilters } from './filters.ts';
import { GroupMarks, type ListedGroup, type NewestBuild } from './GroupMarks.tsx';
import { NewRows } from './NewRows.tsx';
import { NoCrashes } from './NoCrashes.tsx';
import { ShowMore } from './ShowMore.tsx';
import { Sparkline } from './Sparkline.tsx';
import { useLiveList } from './use-live-list.ts';

type GroupListProps = {
  game: OpenGame;
  filters: CrashFilters;
  newest: NewestBuild | undefined;
  /** Takes the filters away. */
  onAll: () => void;
};

const COLUMNS = 8;

export function GroupList({ game, filters, newest, onAll }: GroupListProps) {
  const { build, since, status } = filters;
  const input = {
    uid: game.game_uid,
    ...(build !== undefined && { build_id: build }),
    ...(since !== undefined && { since_build: since }),
    ...(status !== 'all' && { status }),
  };
  const list = useLiveList({
    queryKey: [listCrashGroups.id, input],
    load: async (cursor, signal) => {
      const page = await call(listCrashGroups, { ...input, ...(cursor !== undefined && { cursor }) }, signal);
      return { items: page.groups, next: page.next_cursor };
    },
    idOf: ({ group_id }: ListedGroup) => group_id,
  });
  const { rows, isPending, error, again } = list;
  return (
    <>
      {error !== null && <Problem error={error} again={again} />}
      <NewRows list={list} one="group" />
      {!isPending && rows.length === 0 && error === null && <NoCrashes game={game} filters={filters} onAll={onAll} />}
      {(isPending || rows.length > 0) && (
        <Table className={`${table.table} ${classes.table}`} aria-label="Crash groups" aria-busy={isPending}>
          <Heads />
          <Table.Tbody>
            {isPending && <LoadingRows rows={8} columns={COLUMNS} />}
            {rows.map(({ item, isGone }) => (
              <GroupRow key={item.group_id} slug={game.slug} group={item} isGone={isGone} newest={newest} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <ShowMore list={list} what="groups" />
    </>
  );
}

function Heads() {
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Crash</Table.Th>
        <Table.Th visibleFrom="md" w={204}>
          Reason
        </Table.Th>
        <Table.Th visibleFrom="sm" w={110}>
          30 days
        </Table.Th>
        <Table.Th ta="right" w={72}>
          Reports
        </Table.Th>
        <Table.Th visibleFrom="md" w={104}>
          Builds
        </Table.Th>
        <Table.Th visibleFrom="md" w={90}>
          Systems
        </Table.Th>
        <Table.Th visibleFrom="md" w={112}>
          First seen
        </Table.Th>
        <Table.Th w={112}>Last seen</Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

type GroupRowProps = { slug: string; group: ListedGroup; isGone: boolean; newest: NewestBuild | undefined };

function GroupRow({ slug, group, isGone, newest }: GroupRowProps) {
  const { group_id: groupId, title, reason, count, days, oses } = group;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.what}>
          {isGone ? (
            <span className={`${classes.title} ${classes.gone}`} title="Its reports are in another group now">
              {title}
            </span>
          ) : (
            <SiteLink
              to="/dev/$slug/crashes/groups/$groupId"
              params={{ slug, groupId }}
              className={classes.title}
              title={title}
              data-row
            >
              {title}
            </SiteLink>
          )}
          {isGone ? 'moved' : <GroupMarks group={group} newest={newest} isShort />}
        </div>
      </Table.Td>
      <Table.Td visibleFrom="md" className={classes.cut} title={reason ?? undefined}>
        {reason ?? '–'}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Sparkline days={days} />
      </Table.Td>
      <Table.Td ta="right" title={sayExactNumber(count)}>
        {sayCount(count)}
      </Table.Td>
      <Table.Td visibleFrom="md" className={classes.cut}>
        <Versions group={group} />
      </Table.Td>
      <Table.Td visibleFrom="md" className={classes.cut}>
        {oses.map(({ os }) => sayOs(os)).join(', ')}
      </Table.Td>
      <Table.Td visibleFrom="md" className={table.small}>
        <Time at={group.first_seen} />
      </Table.Td>
      <Table.Td className={table.small}>
        <Time at={group.last_seen} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The version with the most reports, and how many builds there are beside. */
function Versions({ group: { builds, build_count: all } }: { group: ListedGroup }) {
  const [first] = builds;
  if (first === undefined) return '–';
  const says = builds.map(({ version, count }) => `${version || 'a build that is gone'}: ${count}`).join('\n');
  return (
    <span title={all > builds.length ? `${says}\n…` : says}>
      {first.version || 'gone'}
      {all > 1 && ` +${all - 1}`}
    </span>
  );
}
