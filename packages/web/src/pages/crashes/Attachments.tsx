// What was sent along with a crash: attached files, the log, and the events before it. The page of a report loads this
// code when one of them is shown.
import { formatBytes, formatDuration } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { EventBreadcrumb } from '@chauffeur/contract/operations/crash-events';
import {
  type CrashAttachment,
  getCrashAttachment,
  requestCrashDownload,
} from '@chauffeur/contract/operations/crash-files';
import { getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { getBreadcrumbs } from '@chauffeur/contract/operations/events';
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { formatExactTime } from '../../ui/format.ts';
import { FoldedSection, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './attachments.module.css';
import type { Crash } from './use-crash.ts';

type AttachmentsProps = { game: OpenGame; crash: Crash };

/** Images as thumbnails, the ends of texts, and buttons that download the originals. */
export function Attachments({ game, crash }: AttachmentsProps) {
  return (
    <Section title="Attachments">
      <ul className={classes.files}>
        {crash.attachments.map((attachment) => (
          <li key={attachment.attachment}>
            <File gameUid={game.game_uid} crashId={crash.crash_id} file={attachment} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

type FileProps = { gameUid: string; crashId: string; file: CrashAttachment };

function File({ gameUid, crashId, file }: FileProps) {
  const download = useMutation({
    mutationFn: () =>
      call(requestCrashDownload, {
        uid: gameUid,
        crash_id: crashId,
        kind: 'attachment',
        attachment: file.attachment,
      }),
    // The response is a file, so the browser stays on this page.
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Stack gap={4}>
      {file.image !== null && <Picture gameUid={gameUid} crashId={crashId} file={file} image={file.image} />}
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text size="sm" className={classes.name}>
          {file.name}{' '}
          <Text span size="sm" c="dimmed">
            {formatState(file)}
          </Text>
        </Text>
        {file.has_arrived && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Download ${file.name}`}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            ↓
          </Button>
        )}
      </Group>
      {file.problem !== null && <Text size="sm">{file.problem}</Text>}
      {download.error !== null && <Problem error={download.error} onRetry={() => download.mutate()} />}
      {file.kind === 'text' && file.has_arrived && file.size > 0 && (
        <FoldedSection title="Show text">
          <TextEnd gameUid={gameUid} crashId={crashId} file={file} />
        </FoldedSection>
      )}
    </Stack>
  );
}

function formatState({ has_arrived, size, kind, image, problem }: CrashAttachment): string {
  if (!has_arrived) return 'not uploaded yet';
  const isWaiting = kind === 'image' && image === null && problem === null;
  return isWaiting ? `${formatBytes(size)}, preparing the image` : formatBytes(size);
}

function Picture({ gameUid, crashId, file, image }: FileProps & { image: NonNullable<CrashAttachment['image']> }) {
  const url = `/api/v1/games/${gameUid}/crashes/${crashId}/attachments/${file.attachment}/image`;
  return (
    <a href={url} target="_blank" rel="noreferrer" className={classes.picture}>
      <img src={url} alt={`Attachment ${file.name}`} width={image.width} height={image.height} loading="lazy" />
    </a>
  );
}

function TextEnd({ gameUid, crashId, file }: FileProps) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashAttachment, { uid: gameUid, crash_id: crashId, attachment: String(file.attachment) }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={120} />;
  return <LogText {...data} label={`End of ${file.name}`} kind="file" />;
}

type LogTailProps = { gameUid: string; crashId: string };

/** The end of the log, as plain text. */
export function LogTail({ gameUid, crashId }: LogTailProps) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashLog, { uid: gameUid, crash_id: crashId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  return <LogText {...data} label="End of the log" kind="log" />;
}

type LogTextProps = { text: string; size: number; is_cut: boolean; label: string; kind: 'log' | 'file' };

/** The end of a log or another text. */
export function LogText({ text, size, is_cut, label, kind }: LogTextProps) {
  if (text === '') return <Text size="sm">{`The ${kind} is empty.`}</Text>;
  return (
    <>
      {is_cut && (
        <Text size="sm" c="dimmed" mb={4}>
          {`Only the end is shown. Download the ${kind} to read all `}
          <Bytes count={size} />.
        </Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, and needs the focus to scroll by keyboard */}
      <section tabIndex={0} aria-label={label} className={classes.log}>
        {text}
      </section>
    </>
  );
}

type Answer = OutputOf<typeof getBreadcrumbs>;
type Breadcrumb = Answer['events'][number];
type BreadcrumbsProps = { gameUid: string; crash: Crash };

/** What the client sent of what happened before, and the last events of the session. */
export function Breadcrumbs({ gameUid, crash }: BreadcrumbsProps) {
  const sent = crash.event?.breadcrumbs ?? [];
  // Without a session, there are no events, which needs to be said only if nothing else is shown.
  const hasEvents = crash.session_id !== null || sent.length === 0;
  return (
    <Stack gap="md">
      {sent.length > 0 && <BreadcrumbTable label="Breadcrumbs" rows={sent.map(sentRowOf)} />}
      {hasEvents && <SessionEvents gameUid={gameUid} crashId={crash.crash_id} isOnly={sent.length === 0} />}
    </Stack>
  );
}

type SessionEventsProps = { gameUid: string; crashId: string; isOnly: boolean };

/** The last events that the device sent in its session before a crash. */
function SessionEvents({ gameUid, crashId, isOnly }: SessionEventsProps) {
  const { data, error, refetch } = useQuery({
    ...ask(getBreadcrumbs, { uid: gameUid, crash_id: crashId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={160} />;
  return (
    <>
      {data.problem !== null && isOnly && <Text size="sm">{PROBLEMS[data.problem]}</Text>}
      {!data.is_complete && (
        <Text size="sm" c="dimmed" mb={4}>
          Reading took too long. Earlier events may be missing.
        </Text>
      )}
      {data.events.length > 0 && (
        <BreadcrumbTable label={isOnly ? 'Breadcrumbs' : 'Events of the session'} rows={data.events.map(eventRowOf)} />
      )}
    </>
  );
}

const PROBLEMS: Readonly<Record<NonNullable<Answer['problem']>, string>> = {
  no_session: 'The report has no session ID. Send session_id with crash reports and events to see what led to a crash.',
  expired: 'The events of that day are no longer stored.',
  not_received: 'No events of this session arrived before the report.',
};

/** A breadcrumb of either source. */
type BreadcrumbRow = {
  readonly at: string | null;
  readonly secondsBefore: number | null;
  readonly name: string;
  readonly message: string;
  readonly properties: Breadcrumb['properties'];
};

function eventRowOf({ event, timestamp, received_at, seconds_before, properties }: Breadcrumb): BreadcrumbRow {
  return { at: timestamp ?? received_at, secondsBefore: seconds_before, name: event, message: '', properties };
}

/** A level is shown if it is not the usual one. */
function sentRowOf({ timestamp, seconds_before, level, category, message, data }: EventBreadcrumb): BreadcrumbRow {
  const name = [category, ...(level === 'info' ? [] : [level])].filter((text) => text !== '').join(' · ');
  return { at: timestamp, secondsBefore: seconds_before, name, message, properties: data };
}

function BreadcrumbTable({ label, rows }: { label: string; rows: readonly BreadcrumbRow[] }) {
  return <DataTable label={label} columns={COLUMNS} rows={rows} rowKey={(_, index) => String(index)} />;
}

const COLUMNS: readonly Column<BreadcrumbRow>[] = [
  {
    header: 'Before the report',
    overflow: 'nowrap',
    width: 140,
    title: ({ at }) => (at === null ? undefined : formatExactTime(new Date(at))),
    cell: ({ secondsBefore: seconds, at }) =>
      seconds !== null ? formatBefore(seconds) : at === null ? '–' : <Time at={at} />,
  },
  {
    header: 'Event',
    overflow: 'anywhere',
    cell: ({ name, message }) => (
      <>
        {name || (message === '' ? '–' : '')}
        {message !== '' && <div>{message}</div>}
      </>
    ),
  },
  {
    header: 'Properties',
    overflow: 'anywhere',
    cell: ({ properties }) => <Properties properties={properties} />,
  },
];

function Properties({ properties }: Pick<BreadcrumbRow, 'properties'>) {
  const entries = Object.entries(properties);
  if (entries.length === 0) return '–';
  return entries.map(([key, value], index) => (
    <span key={key}>
      {index > 0 && ' '}
      <Code>{`${key}=${String(value)}`}</Code>
    </span>
  ));
}

const PRECISE_SECONDS = 10;

function formatBefore(seconds: number): string {
  return seconds < PRECISE_SECONDS ? `${seconds.toFixed(1)} s` : formatDuration(Math.round(seconds));
}
