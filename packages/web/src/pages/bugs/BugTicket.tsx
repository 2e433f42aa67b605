// One ticket: what the player wrote, where it happened, the crash that came with it, and how it is marked.
import { ApiError } from '@chauffeur/contract/errors';
import { getBugTicket } from '@chauffeur/contract/operations/bugs';
import { sayOs } from '@chauffeur/contract/platform-words';
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
import { readShown, STATUSES, sayMark, stepsFrom, type Ticket } from './bug-status.ts';
import { useMarkBug } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs/$bugUid');

export function BugTicket() {
  const game = useGame();
  const { bugUid } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(ask(getBugTicket, { uid: game.game_uid, bug_uid: bugUid }));
  const isGone = error instanceof ApiError && [4002, 4040].includes(error.code);
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
      {isGone && <Text size="sm">There is no such ticket.</Text>}
      {error !== null && !isGone && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={240} />}
      {data !== undefined && <Opened key={data.bug_uid} bug={data} gameUid={game.game_uid} slug={game.slug} />}
    </Stack>
  );
}

type OpenedProps = { bug: Ticket; gameUid: string; slug: string };

function Opened({ bug, gameUid, slug }: OpenedProps) {
  const { tone, word } = STATUSES[bug.status];
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={2} size="h4">
            Ticket of {bug.filed_by}
          </Title>
          <StateBadge tone={tone}>{word}</StateBadge>
        </Group>
      </Group>
      <Marks bug={bug} gameUid={gameUid} />
      <pre className={classes.text}>{bug.message}</pre>
      <Facts facts={factsOf(bug, slug)} />
      {bug.crash_id !== null && <BugCrash gameUid={gameUid} slug={slug} crashId={bug.crash_id} />}
    </>
  );
}

function Marks({ bug, gameUid }: Omit<OpenedProps, 'slug'>) {
  const shown = readShown(route.useSearch().status);
  const marking = useMarkBug(gameUid, shown, bug.bug_uid);
  const { variables } = marking;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {stepsFrom(bug.status).map(({ status, label }, index) => (
          <Button
            key={status}
            size="xs"
            variant={index === 0 ? 'filled' : 'default'}
            loading={marking.isPending && variables?.status === status}
            disabled={marking.isPending}
            onClick={() => marking.mutate({ status, before: bug.status })}
          >
            {label}
          </Button>
        ))}
      </Group>
      {marking.error !== null && variables !== undefined && (
        <Problem error={marking.error} again={() => marking.mutate(variables)} />
      )}
      <div role="status">
        {marking.isSuccess && variables !== undefined && (
          <Notice tone="good" title={sayMark(variables.status)}>
            <Group>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => marking.mutate({ status: variables.before, before: variables.status })}
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
  const platform = [bug.os === null ? null : sayOs(bug.os), bug.arch].filter((part) => part !== null).join(' ');
  return [
    ['Build', <BuildOf key="build" bug={bug} slug={slug} />],
    ['System', platform === '' ? 'Not named' : platform],
    ['Filed', <Time key="filed" at={bug.filed_at} />],
    ...(bug.updated_at === bug.filed_at ? [] : [['Marked', <Time key="updated" at={bug.updated_at} />] as const]),
    ['Number', <CopyText key="uid" text={bug.bug_uid} what="number of the ticket" />],
  ];
}

function BuildOf({ bug, slug }: { bug: Ticket; slug: string }) {
  if (bug.build_id === null) return 'Not named';
  if (bug.version === null) return 'One that is gone';
  return (
    <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: bug.build_id }} underline="always">
      {bug.version}
    </SiteLink>
  );
}
