// A bug ticket: the player's message, what is known about it, the attached crash report, what is done about it, and the
// replies.
import { isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getBugTicket, replyToBug, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import { getCrash } from '@chauffeur/contract/operations/crash-reports';
import { Anchor, Button, Checkbox, Group, Skeleton, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call, useKeptData } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { useTitle } from '../../frame/page-title.ts';
import { Bytes } from '../../ui/Facts.tsx';
import { formatItems } from '../../ui/format.ts';
import { Notice, Trail } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { CRASHES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { UnsentText } from '../../ui/UnsavedWarning.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './BugsPage.module.css';
import { actionsFrom, STATUSES, stateOf, type Ticket } from './bug-status.ts';
import { FixDialog } from './FixDialog.tsx';
import { RenameTicket, TicketFacts } from './TicketFacts.tsx';
import { type ChangeTicket, useBugFilter, useTicketChange } from './use-bugs.ts';

const route = getRouteApi('/signed-in/dev/$slug/bugs/$bugUid');

export function BugTicket() {
  const game = useGame();
  const { bugUid } = route.useParams();
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getBugTicket, { uid: game.game_uid, bug_uid: bugUid }),
    meta: follow('bugs'),
  });
  const isMissing = isError(error, 'invalid', 'notFound');
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

type TicketDetailsProps = { bug: OutputOf<typeof getBugTicket>; gameUid: string; slug: string };

function TicketDetails({ bug, gameUid, slug }: TicketDetailsProps) {
  const change = useTicketChange(gameUid, useBugFilter(route.useSearch()), bug.bug_uid);
  const { tone, label } = STATUSES[bug.status];
  return (
    <>
      <Group gap="sm" align="baseline">
        <Title order={2} size="h4" className={classes.title}>
          {bug.title} <span className={classes.number}>{`#${bug.number}`}</span>
        </Title>
        <StateBadge tone={tone}>
          {bug.fixed_in_version === null ? label : `${label} in ${bug.fixed_in_version}`}
        </StateBadge>
        <Permitted operation={updateBugTicket}>
          <RenameTicket bug={bug} change={change} />
        </Permitted>
      </Group>
      <Permitted operation={updateBugTicket} to="change tickets">
        <StatusButtons bug={bug} change={change} />
      </Permitted>
      {/* A short message is the title already. */}
      {bug.message.trim() !== bug.title && <pre className={classes.text}>{bug.message}</pre>}
      {bug.steps !== '' && (
        <Stack gap={4} component="section" aria-label="What the player was doing">
          <Title order={3} size="h5">
            What the player was doing
          </Title>
          <pre className={classes.text}>{bug.steps}</pre>
        </Stack>
      )}
      <Screenshots bug={bug} gameUid={gameUid} />
      <Attachments bug={bug} gameUid={gameUid} />
      <TicketFacts bug={bug} change={change} gameUid={gameUid} slug={slug} />
      {bug.crash_id !== null && <BugCrash gameUid={gameUid} slug={slug} crashId={bug.crash_id} />}
      <BugReplies bug={bug} gameUid={gameUid} />
    </>
  );
}

function StatusButtons({ bug, change }: { bug: Ticket; change: ChangeTicket }) {
  const { variables } = change;
  const done = useKeptData(change);
  const [isFixing, setFixing] = useState(false);
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
            onClick={() => {
              if (status === 'fixed') setFixing(true);
              else change.mutate({ change: { status }, message: result, undo: stateOf(bug) });
            }}
          >
            {label}
          </Button>
        ))}
      </Group>
      {isFixing && <FixDialog bug={bug} change={change} onClose={() => setFixing(false)} />}
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

function Screenshots({ bug, gameUid }: { bug: Ticket; gameUid: string }) {
  if (bug.screenshots.length === 0) return null;
  return (
    <Group gap="sm" component="section" aria-label="Screenshots">
      {bug.screenshots.map(({ screenshot_uid: uid, image, problem }, index) => {
        if (image === null)
          return (
            <Text key={uid} size="sm">
              {problem === null ? 'Preparing a screenshot' : `A screenshot can't be shown: ${problem}`}
            </Text>
          );
        const url = `/api/v1/games/${gameUid}/bugs/${bug.bug_uid}/screenshots/${uid}`;
        return (
          <a key={uid} href={url} target="_blank" rel="noreferrer" className={classes.screenshot}>
            <img
              src={url}
              alt={`Screenshot ${index + 1}, from the player`}
              width={image.width}
              height={image.height}
              loading="lazy"
            />
          </a>
        );
      })}
    </Group>
  );
}

/** Files that the player's game sent along. */
function Attachments({ bug, gameUid }: { bug: TicketDetailsProps['bug']; gameUid: string }) {
  if (bug.attachments.length === 0) return null;
  return (
    <Stack gap={4} component="section" aria-label="Attachments">
      <Title order={3} size="h5">
        Attachments
      </Title>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {bug.attachments.map(({ attachment_uid: uid, name, size }) => (
          <Group key={uid} component="li" gap="xs">
            <Anchor size="sm" href={`/api/v1/games/${gameUid}/bugs/${bug.bug_uid}/attachments/${uid}`} download={name}>
              {name}
            </Anchor>
            <Text size="sm" c="dimmed">
              <Bytes count={size} />
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  );
}

/** The replies to a bug ticket, and the form that sends another one by email. */
function BugReplies({ bug, gameUid }: { bug: Ticket; gameUid: string }) {
  return (
    <Stack gap="sm" component="section" aria-label="Replies">
      <Title order={3} size="h5">
        Replies
      </Title>
      {bug.replies.map(({ reply_uid, name, agent, message, sent_at }) => (
        <div key={reply_uid} className={classes.reply}>
          <Text size="sm" c="dimmed">
            {agent === null ? name : `${name}, with ${agent}`} · <Time at={sent_at} />
          </Text>
          <pre className={classes.text}>{message}</pre>
        </div>
      ))}
      {bug.can_reply || bug.duplicates.length > 0 ? (
        <Permitted operation={replyToBug} to="reply">
          <ReplyForm bug={bug} gameUid={gameUid} />
        </Permitted>
      ) : (
        <Text size="sm">The player did not leave an address for replies.</Text>
      )}
    </Stack>
  );
}

function ReplyForm({ bug, gameUid }: { bug: Ticket; gameUid: string }) {
  const queries = useQueryClient();
  const [message, setMessage] = useState('');
  const [toDuplicates, setToDuplicates] = useState(!bug.can_reply);
  const reply = useMutation({
    mutationFn: () =>
      call(replyToBug, { uid: gameUid, bug_uid: bug.bug_uid, message: message.trim(), to_duplicates: toDuplicates }),
    onSuccess: async () => {
      await queries.invalidateQueries({
        queryKey: ask(getBugTicket, { uid: gameUid, bug_uid: bug.bug_uid }).queryKey,
      });
      setMessage('');
    },
  });
  return (
    <form
      aria-label="New reply"
      onSubmit={(event) => {
        event.preventDefault();
        reply.mutate();
      }}
    >
      <Stack gap="sm">
        <Textarea
          data-field="message"
          label="Reply"
          description={
            bug.gets_mail
              ? "The player gets your name and this text by email, but doesn't see your address."
              : "The player hasn't confirmed their email address. They can see your name and this text on their ticket's page."
          }
          autosize
          minRows={3}
          maxLength={LIMITS.bugMessageLength}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        {bug.duplicates.length > 0 && (
          <Checkbox
            label={`Also to the players who filed ${formatItems(bug.duplicates.length, 'duplicate')}`}
            checked={toDuplicates}
            disabled={!bug.can_reply}
            onChange={(event) => setToDuplicates(event.currentTarget.checked)}
          />
        )}
        {reply.error !== null && <Problem error={reply.error} />}
        <Button type="submit" w="fit-content" loading={reply.isPending} disabled={message.trim() === ''}>
          Send reply
        </Button>
        <div role="status">{reply.isSuccess && <Text size="sm">{describeReply(reply.data)}</Text>}</div>
      </Stack>
      <UnsentText text={message} name="reply" />
    </form>
  );
}

/** Says who got the reply by email, and who has to look for it. */
function describeReply({ mails: emails, unconfirmed, limited }: OutputOf<typeof replyToBug>): string {
  return [
    emails === 0 ? 'Reply saved.' : `Reply sent to ${formatItems(emails, 'player')} by email.`,
    ...(unconfirmed === 0
      ? []
      : [
          `${formatItems(unconfirmed, 'player')} without a confirmed email address can read it on their ticket's page.`,
        ]),
    ...(limited === 0
      ? []
      : [`${formatItems(limited, 'player')} got too many emails from this game recently, and can read it there.`]),
  ].join(' ');
}

type Crash = OutputOf<typeof getCrash>;

const isFinal = (crash: Crash | undefined) => crash?.state === 'processed' || crash?.state === 'failed';

const REFRESH_MS = 3000;
const MAX_FRAMES = 6;

/** A summary of the crash report attached to a ticket: the reason and the top of the stack. */
function BugCrash({ gameUid, slug, crashId }: { gameUid: string; slug: string; crashId: string }) {
  const pollMs = useLiveInterval(REFRESH_MS);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrash, { uid: gameUid, crash_id: crashId }),
    refetchInterval: ({ state }) => (state.data === undefined || isFinal(state.data) ? false : pollMs),
    meta: follow('crashes'),
  });
  return (
    <Stack gap="xs" component="section" aria-label="Crash report">
      <Group gap="sm">
        <Title order={3} size="h5">
          Crash report
        </Title>
        {data !== undefined && <StateBadge tone={CRASHES[data.state].tone}>{CRASHES[data.state].label}</StateBadge>}
      </Group>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={96} />}
      {data !== undefined && <Excerpt crash={data} />}
      <SiteLink
        to="/dev/$slug/crashes/reports/$crashId"
        params={{ slug, crashId }}
        size="sm"
        style={{ alignSelf: 'flex-start' }}
      >
        Open report
      </SiteLink>
    </Stack>
  );
}

function Excerpt({ crash }: { crash: Crash }) {
  const { reason, failure, stack, available } = crash;
  if (failure !== null) return <Text size="sm">{failure}</Text>;
  const frames = stack.slice(0, MAX_FRAMES);
  return (
    <>
      {reason !== null && <Text size="sm">{reason}</Text>}
      {frames.length > 0 && (
        <ol className={classes.stack} aria-label="Top of the stack">
          {frames.map((frame, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a frame has no ID, and the order never changes
            <li key={index}>{formatFrame(frame)}</li>
          ))}
        </ol>
      )}
      {frames.length === 0 && available.includes('log') && <Text size="sm">The report has a log but no stack.</Text>}
    </>
  );
}

/** `Car::Turn (src/car.cc:12)`, or `game.exe + 0x10` for a frame without a name. */
function formatFrame({ function: name, module, offset, file, line }: Crash['stack'][number]): string {
  if (name === null)
    return offset === null ? (module ?? 'unknown module') : `${module ?? 'unknown module'} + ${offset}`;
  if (file === null) return name;
  return line === null ? `${name} (${file})` : `${name} (${file}:${line})`;
}
