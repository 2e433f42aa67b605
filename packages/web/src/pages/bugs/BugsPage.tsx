// The bugs that players filed: a list by status, and beside it the ticket that is open.
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useParams } from '@tanstack/react-router';
import { Choice } from '../../ui/Choice.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './BugsPage.module.css';
import { CHOICES, excerptOf, readShown, type Shown, STATUSES, type Ticket } from './bug-status.ts';
import { bugsQuery } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs');

export function BugsPage() {
  const game = useGame();
  const shown = readShown(route.useSearch().status);
  const navigate = route.useNavigate();
  const { bugUid } = useParams({ strict: false });
  const choose = (status: Shown) =>
    void navigate({
      to: '/dev/$slug/bugs',
      params: { slug: game.slug },
      search: { status: status === 'open' ? undefined : status },
      replace: true,
    });
  return (
    <Stack gap="md">
      <PageHead title="Bugs" tab={`Bugs · ${game.name}`}>
        <Choice label="Status" value={shown} choices={CHOICES} onChange={choose} />
      </PageHead>
      <div className={classes.columns} data-open={bugUid !== undefined}>
        <div className={classes.list}>
          <Tickets gameUid={game.game_uid} slug={game.slug} shown={shown} />
        </div>
        <Outlet />
      </div>
    </Stack>
  );
}

type TicketsProps = { gameUid: string; slug: string; shown: Shown };

function Tickets({ gameUid, slug, shown }: TicketsProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    bugsQuery(gameUid, shown),
  );
  const bugs = data?.pages.flatMap((page) => page.bugs) ?? [];
  return (
    <Stack gap="sm">
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <LoadingTickets />}
      {data !== undefined && bugs.length === 0 && <NoTickets slug={slug} shown={shown} />}
      {bugs.length > 0 && (
        <ul className={classes.rows} aria-label="Tickets">
          {bugs.map((bug) => (
            <li key={bug.bug_uid}>
              <Row slug={slug} bug={bug} />
            </li>
          ))}
        </ul>
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show older tickets
      </NextPage>
    </Stack>
  );
}

function Row({ slug, bug }: { slug: string; bug: Ticket }) {
  const { tone, word } = STATUSES[bug.status];
  return (
    <Link
      to="/dev/$slug/bugs/$bugUid"
      params={{ slug, bugUid: bug.bug_uid }}
      search={(before) => before}
      className={classes.row}
      data-row
    >
      <span className={classes.message}>{excerptOf(bug.message)}</span>
      <span className={classes.facts}>
        <span>{bug.filed_by}</span>
        <Time at={bug.filed_at} />
        {bug.version !== null && <span>{bug.version}</span>}
        {bug.crash_id !== null && <span>with a crash report</span>}
        <StateBadge tone={tone}>{word}</StateBadge>
      </span>
    </Link>
  );
}

function NoTickets({ slug, shown }: Omit<TicketsProps, 'gameUid'>) {
  if (shown !== 'open' && shown !== 'all')
    return <Text size="sm">No ticket is {STATUSES[shown].word.toLowerCase()}.</Text>;
  return (
    <EmptyState command={`${location.origin}/g/${slug}/report`}>
      {shown === 'open' ? 'No open ticket.' : 'No ticket yet.'} Players file one on the game’s page, under “Report a
      bug”; this address leads there.
    </EmptyState>
  );
}

function LoadingTickets() {
  return (
    <Stack gap="xs" aria-hidden>
      {[60, 80, 45, 70].map((width) => (
        <Group key={width} h={36} justify="space-between" wrap="nowrap">
          <Skeleton h={14} w={`${width / 2}%`} />
          <Skeleton h={14} w={200} />
        </Group>
      ))}
    </Stack>
  );
}
