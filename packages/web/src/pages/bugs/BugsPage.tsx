// The bug tickets of a game: a list with a search and filters, next to the open ticket.
import { Badge, Button, Group, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { getRouteApi, Link, Outlet, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { EmptyState } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore, ShowNewButton } from '../../ui/ShowMore.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './BugsPage.module.css';
import { type ListedTicket, STATUS_FILTERS, STATUSES, type StatusFilter } from './bug-status.ts';
import { type BugFilter, useBugFilter, useBugs, useNewBugs } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs');

export function BugsPage() {
  const game = useGame();
  const search = route.useSearch();
  const filter = useBugFilter(search);
  const navigate = route.useNavigate();
  const { bugUid } = useParams({ strict: false });
  const changeFilter = ({ mine = search.mine, ...change }: Partial<BugFilter> & { mine?: string }) => {
    const next = { ...filter, ...change };
    void navigate({
      to: '/dev/$slug/bugs',
      params: { slug: game.slug },
      search: {
        status: next.status === 'open' ? undefined : next.status,
        label: next.label,
        q: next.text,
        mine: mine === '' ? undefined : mine,
      },
      replace: true,
    });
  };
  return (
    <Stack gap="md">
      <PageHead title="Bugs" tabTitle={bugUid === undefined ? `Bugs · ${game.name}` : undefined}>
        <Choice
          label="Status"
          value={filter.status}
          choices={STATUS_FILTERS}
          onChange={(next: StatusFilter) => changeFilter({ status: next })}
        />
      </PageHead>
      <Group gap="xs">
        <Switch
          size="sm"
          label="Assigned to me"
          checked={search.mine !== undefined}
          onChange={({ currentTarget }) => changeFilter({ mine: currentTarget.checked ? '1' : '' })}
        />
        <SearchBox key={filter.text} text={filter.text} onSearch={(text) => changeFilter({ text, status: 'all' })} />
        {filter.label !== '' && (
          <Group gap="xs">
            <Badge variant="default" tt="none">
              {filter.label}
            </Badge>
            <Button size="compact-xs" variant="default" onClick={() => changeFilter({ label: '' })}>
              Show all labels
            </Button>
          </Group>
        )}
      </Group>
      <div className={classes.columns} data-open={bugUid !== undefined}>
        <div className={classes.list}>
          <Tickets gameUid={game.game_uid} slug={game.slug} filter={filter} />
        </div>
        <Outlet />
      </div>
    </Stack>
  );
}

/** The search field, which searches when the form is submitted. */
function SearchBox({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [value, setValue] = useState(text);
  return (
    <form
      aria-label="Search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(value.trim());
      }}
    >
      <Group gap="xs">
        <TextInput
          aria-label="Search tickets"
          type="search"
          size="xs"
          data-search
          w={260}
          maxLength={200}
          placeholder="Words, or a number such as #12"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default">
          Search
        </Button>
        {text !== '' && (
          <Button size="xs" variant="subtle" onClick={() => onSearch('')}>
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}

type TicketsProps = { gameUid: string; slug: string; filter: BugFilter };

function Tickets({ gameUid, slug, filter }: TicketsProps) {
  const list = useBugs(gameUid, filter);
  return (
    <Stack gap="sm">
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      {list.firstPage !== undefined && (
        <NewTickets key={JSON.stringify(filter)} gameUid={gameUid} filter={filter} list={list} first={list.firstPage} />
      )}
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

type NewTicketsProps = {
  gameUid: string;
  filter: BugFilter;
  list: ReturnType<typeof useBugs>;
  first: NonNullable<ReturnType<typeof useBugs>['firstPage']>;
};

function NewTickets({ gameUid, filter, list, first }: NewTicketsProps) {
  return <ShowNewButton list={useNewBugs(gameUid, filter, list, first)} format={formatShowNew} />;
}

function formatShowNew(count: number, isAtLeast: boolean): string {
  if (isAtLeast) return `Show ${count} or more new tickets`;
  return count === 1 ? 'Show 1 new ticket' : `Show ${count} new tickets`;
}

function Row({ slug, bug }: { slug: string; bug: ListedTicket }) {
  const { tone, label } = STATUSES[bug.status];
  return (
    <Link
      to="/dev/$slug/bugs/$bugUid"
      params={{ slug, bugUid: bug.bug_uid }}
      search={(before) => before}
      className={classes.row}
      data-row
    >
      <span className={classes.about}>
        <span className={classes.message}>{bug.title}</span>
        {bug.labels.map((label) => (
          <Badge key={label} variant="default" size="sm" tt="none" fw={500}>
            {label}
          </Badge>
        ))}
        {bug.crash_id !== null && <span>crash report attached</span>}
        {bug.duplicates.length > 0 && <span>{formatItems(bug.duplicates.length, 'duplicate')}</span>}
      </span>
      <span className={classes.facts}>
        <span>{`#${bug.number}`}</span>
        <span>{bug.version}</span>
        <span>{bug.filed_by}</span>
        {bug.assignee !== null && <span>{`assigned to ${bug.assignee.name}`}</span>}
        <Time at={bug.filed_at} />
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
  const { visibility } = useGame();
  if (filter.text !== '' || filter.label !== '' || filter.assignee !== '')
    return <Text size="sm">No tickets match.</Text>;
  const text = <Text size="sm">{EMPTY_TEXTS[filter.status]}</Text>;
  if (filter.status === 'fixed' || filter.status === 'closed') return text;
  return (
    <>
      {text}
      <EmptyState command={<CopyText text={`${location.origin}/g/${slug}/report`} label="link" block />}>
        Players create tickets with “Report a bug” on the game's page. You can also send them this link
        {visibility === 'draft' && ", which works for them once the game isn't a draft anymore"}:
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
