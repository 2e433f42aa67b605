// The bug tickets of a game: a list with a status filter, next to the open ticket.
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi, Link, Outlet, useParams } from '@tanstack/react-router';
import { Choice } from '../../ui/Choice.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './BugsPage.module.css';
import { excerptOf, readStatusFilter, STATUS_FILTERS, STATUSES, type StatusFilter, type Ticket } from './bug-status.ts';
import { useBugs } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs');

export function BugsPage() {
  const game = useGame();
  const filter = readStatusFilter(route.useSearch().status);
  const navigate = route.useNavigate();
  const { bugUid } = useParams({ strict: false });
  const changeFilter = (status: StatusFilter) =>
    void navigate({
      to: '/dev/$slug/bugs',
      params: { slug: game.slug },
      search: { status: status === 'open' ? undefined : status },
      replace: true,
    });
  return (
    <Stack gap="md">
      <PageHead title="Bugs" tabTitle={`Bugs · ${game.name}`}>
        <Choice label="Status" value={filter} choices={STATUS_FILTERS} onChange={changeFilter} />
      </PageHead>
      <div className={classes.columns} data-open={bugUid !== undefined}>
        <div className={classes.list}>
          <Tickets gameUid={game.game_uid} slug={game.slug} filter={filter} />
        </div>
        <Outlet />
      </div>
    </Stack>
  );
}

type TicketsProps = { gameUid: string; slug: string; filter: StatusFilter };

function Tickets({ gameUid, slug, filter }: TicketsProps) {
  const list = useBugs(gameUid, filter);
  return (
    <Stack gap="sm">
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      {list.isLoading && <LoadingTickets />}
      {list.rows?.length === 0 && <NoTickets slug={slug} filter={filter} />}
      {list.rows !== undefined && list.rows.length > 0 && (
        <ul className={classes.rows} aria-label="Tickets">
          {list.rows.map((bug) => (
            <li key={bug.bug_uid}>
              <Row slug={slug} bug={bug} />
            </li>
          ))}
        </ul>
      )}
      <ShowMore list={list}>Show older tickets</ShowMore>
    </Stack>
  );
}

function Row({ slug, bug }: { slug: string; bug: Ticket }) {
  const { tone, label } = STATUSES[bug.status];
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
        {bug.crash_id !== null && <span>crash report attached</span>}
        <StateBadge tone={tone}>{label}</StateBadge>
      </span>
    </Link>
  );
}

const EMPTY_TEXTS: Readonly<Record<StatusFilter, string>> = {
  open: 'No open tickets.',
  fixed: 'No fixed tickets.',
  closed: 'No closed tickets.',
  all: 'No tickets yet.',
};

function NoTickets({ slug, filter }: Omit<TicketsProps, 'gameUid'>) {
  const text = <Text size="sm">{EMPTY_TEXTS[filter]}</Text>;
  if (filter === 'fixed' || filter === 'closed') return text;
  return (
    <>
      {text}
      <EmptyState command={`${location.origin}/g/${slug}/report`}>
        Players create tickets with “Report a bug” on the game's page. You can also send them this link:
      </EmptyState>
    </>
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
