// A bug ticket: the player's message, what is known about it, the attached crash report, what is done about it, and the
// replies.
import { ApiError } from '@chauffeur/contract/errors';
import { getBugTicket, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask, useKeptData } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { useTitle } from '../../frame/page-title.ts';
import { Notice, Trail } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { useGame } from '../games/use-game.ts';
import { BugCrash } from './BugCrash.tsx';
import { BugReplies } from './BugReplies.tsx';
import classes from './BugsPage.module.css';
import { actionsFrom, readStatusFilter, STATUSES, type Ticket } from './bug-status.ts';
import { RenameTicket, TicketFacts } from './TicketFacts.tsx';
import { type ChangeTicket, useTicketChange } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs/$bugUid');

export function BugTicket() {
  const game = useGame();
  const { bugUid } = route.useParams();
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getBugTicket, { uid: game.game_uid, bug_uid: bugUid }),
    meta: follow('bugs'),
  });
  const isMissing = error instanceof ApiError && [4002, 4040].includes(error.code);
  useTitle(titleOf(game.name, data, isMissing));
  return (
    <Stack gap="md" component="section" aria-label="Ticket" className={classes.ticket}>
      <Trail
        parents={[
          {
            key: 'bugs',
            link: (
              <SiteLink to="/dev/$slug/bugs" params={{ slug: game.slug }} search={(before) => before}>
                Bugs
              </SiteLink>
            ),
          },
        ]}
        current={isMissing ? 'Ticket' : data && `#${data.number}`}
      />
      {isMissing && <Text size="sm">Ticket not found.</Text>}
      {error !== null && !isMissing && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={240} />}
      {data !== undefined && <TicketDetails key={data.bug_uid} bug={data} gameUid={game.game_uid} slug={game.slug} />}
    </Stack>
  );
}

/** The title of the browser tab; undefined while the ticket is loading. */
function titleOf(game: string, bug: Ticket | undefined, isMissing: boolean): string | undefined {
  if (bug !== undefined) return `#${bug.number} ${bug.title} · ${game}`;
  return isMissing ? `Ticket not found · ${game}` : undefined;
}

type TicketDetailsProps = { bug: Ticket; gameUid: string; slug: string };

function TicketDetails({ bug, gameUid, slug }: TicketDetailsProps) {
  const { status, label: labelFilter = '', q = '' } = route.useSearch();
  const filter = { status: readStatusFilter(status), label: labelFilter, text: q };
  const change = useTicketChange(gameUid, filter, bug.bug_uid);
  const { tone, label } = STATUSES[bug.status];
  return (
    <>
      <Group gap="sm" align="baseline">
        <Title order={2} size="h4" className={classes.title}>
          {bug.title} <span className={classes.number}>{`#${bug.number}`}</span>
        </Title>
        <StateBadge tone={tone}>{label}</StateBadge>
        <Permitted operation={updateBugTicket}>
          <RenameTicket bug={bug} change={change} />
        </Permitted>
      </Group>
      <Permitted operation={updateBugTicket} to="change tickets">
        <StatusButtons bug={bug} change={change} />
      </Permitted>
      <pre className={classes.text}>{bug.message}</pre>
      <TicketFacts bug={bug} change={change} gameUid={gameUid} slug={slug} />
      {bug.crash_id !== null && <BugCrash gameUid={gameUid} slug={slug} crashId={bug.crash_id} />}
      <BugReplies bug={bug} gameUid={gameUid} />
    </>
  );
}

function StatusButtons({ bug, change }: { bug: Ticket; change: ChangeTicket }) {
  const { variables } = change;
  const done = useKeptData(change);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {actionsFrom(bug.status).map(({ status, label, result }, index) => (
          <Button
            key={status}
            size="xs"
            variant={index === 0 ? 'filled' : 'default'}
            loading={change.isPending && variables?.change.status === status}
            disabled={change.isPending}
            onClick={() => change.mutate({ change: { status }, message: result, undo: { status: bug.status } })}
          >
            {label}
          </Button>
        ))}
      </Group>
      {change.error !== null && variables !== undefined && (
        <Problem error={change.error} onRetry={() => change.mutate(variables)} />
      )}
      <div role="status">
        {done !== undefined && (
          <Notice tone={done.undo === null ? 'unsure' : 'good'} title={done.message}>
            {done.undo !== null && (
              <Group>
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={change.isPending}
                  onClick={() => done.undo !== null && change.mutate(done.undo)}
                >
                  Undo
                </Button>
              </Group>
            )}
          </Notice>
        )}
      </div>
    </Stack>
  );
}
