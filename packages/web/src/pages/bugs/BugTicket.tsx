// A bug ticket: the player's message, the build and platform, the attached crash report, and buttons that change its status.
import { ApiError } from '@chauffeur/contract/errors';
import { formatOs } from '@chauffeur/contract/format';
import { getBugTicket } from '@chauffeur/contract/operations/bugs';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import { BugCrash } from './BugCrash.tsx';
import classes from './BugsPage.module.css';
import { actionsFrom, formatResult, readStatusFilter, STATUSES, type Ticket } from './bug-status.ts';
import { useStatusChange } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs/$bugUid');

export function BugTicket() {
  const game = useGame();
  const { bugUid } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(ask(getBugTicket, { uid: game.game_uid, bug_uid: bugUid }));
  const isMissing = error instanceof ApiError && [4002, 4040].includes(error.code);
  return (
    <Stack gap="md" component="section" aria-label="Ticket" className={classes.ticket}>
      <SiteLink
        to="/dev/$slug/bugs"
        params={{ slug: game.slug }}
        search={(before) => before}
        size="sm"
        className={classes.back}
      >
        ← All tickets
      </SiteLink>
      {isMissing && <Text size="sm">Ticket not found.</Text>}
      {error !== null && !isMissing && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={240} />}
      {data !== undefined && <TicketDetails key={data.bug_uid} bug={data} gameUid={game.game_uid} slug={game.slug} />}
    </Stack>
  );
}

type TicketDetailsProps = { bug: Ticket; gameUid: string; slug: string };

function TicketDetails({ bug, gameUid, slug }: TicketDetailsProps) {
  const { tone, label } = STATUSES[bug.status];
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={2} size="h4">
            {`Ticket from ${bug.filed_by}`}
          </Title>
          <StateBadge tone={tone}>{label}</StateBadge>
        </Group>
      </Group>
      <StatusButtons bug={bug} gameUid={gameUid} />
      <pre className={classes.text}>{bug.message}</pre>
      <Facts facts={factsOf(bug, slug)} />
      {bug.crash_id !== null && <BugCrash gameUid={gameUid} slug={slug} crashId={bug.crash_id} />}
    </>
  );
}

function StatusButtons({ bug, gameUid }: Omit<TicketDetailsProps, 'slug'>) {
  const filter = readStatusFilter(route.useSearch().status);
  const change = useStatusChange(gameUid, filter, bug.bug_uid);
  const { variables } = change;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {actionsFrom(bug.status).map(({ status, label }, index) => (
          <Button
            key={status}
            size="xs"
            variant={index === 0 ? 'filled' : 'default'}
            loading={change.isPending && variables?.status === status}
            disabled={change.isPending}
            onClick={() => change.mutate({ status, previous: bug.status })}
          >
            {label}
          </Button>
        ))}
      </Group>
      {change.error !== null && variables !== undefined && (
        <Problem error={change.error} onRetry={() => change.mutate(variables)} />
      )}
      <div role="status">
        {change.isSuccess && variables !== undefined && (
          <Notice tone="good" title={formatResult(variables.status)}>
            <Group>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => change.mutate({ status: variables.previous, previous: variables.status })}
              >
                Undo
              </Button>
            </Group>
          </Notice>
        )}
      </div>
    </Stack>
  );
}

function factsOf(bug: Ticket, slug: string): Fact[] {
  const platform = [bug.os === null ? null : formatOs(bug.os), bug.arch].filter((part) => part !== null).join(' ');
  return [
    ['Build', <BuildOf key="build" bug={bug} slug={slug} />],
    ['Platform', platform === '' ? 'Not specified' : platform],
    ['Filed', <Time key="filed" at={bug.filed_at} />],
    ...(bug.updated_at === bug.filed_at
      ? []
      : [['Status changed', <Time key="updated" at={bug.updated_at} />] as const]),
    ['Ticket ID', <CopyText key="uid" text={bug.bug_uid} label="ticket ID" />],
  ];
}

function BuildOf({ bug, slug }: { bug: Ticket; slug: string }) {
  if (bug.build_id === null) return 'Not specified';
  if (bug.version === null) return 'Deleted build';
  return (
    <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: bug.build_id }} underline="always">
      {bug.version}
    </SiteLink>
  );
}
