// The last events that the device sent in its session before a crash.
import { formatDuration } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getBreadcrumbs } from '@chauffeur/contract/operations/breadcrumbs';
import { Code, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatExactTime } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';

type Answer = OutputOf<typeof getBreadcrumbs>;
type Breadcrumb = Answer['events'][number];
type BreadcrumbsProps = { gameUid: string; crashId: string };

export function Breadcrumbs({ gameUid, crashId }: BreadcrumbsProps) {
  const { data, error, refetch } = useQuery({
    ...ask(getBreadcrumbs, { uid: gameUid, crash_id: crashId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={160} />;
  return (
    <>
      {data.problem !== null && <Text size="sm">{PROBLEMS[data.problem]}</Text>}
      {!data.is_complete && (
        <Text size="sm" c="dimmed" mb={4}>
          Reading took too long. Earlier events may be missing.
        </Text>
      )}
      {data.events.length > 0 && (
        <DataTable label="Breadcrumbs" columns={COLUMNS} rows={data.events} rowKey={(_, index) => String(index)} />
      )}
    </>
  );
}

const PROBLEMS: Readonly<Record<NonNullable<Answer['problem']>, string>> = {
  no_session: 'The report has no session ID. Send session_id with crash reports and events to see what led to a crash.',
  expired: 'The events of that day are no longer stored.',
  not_received: 'No events of this session arrived before the report.',
};

const COLUMNS: readonly Column<Breadcrumb>[] = [
  {
    header: 'Before the report',
    overflow: 'nowrap',
    width: 140,
    title: ({ timestamp, received_at }) => formatExactTime(new Date(timestamp ?? received_at)),
    cell: ({ seconds_before: seconds }) => formatBefore(seconds),
  },
  { header: 'Event', overflow: 'anywhere', cell: ({ event }) => event },
  {
    header: 'Properties',
    overflow: 'anywhere',
    cell: ({ properties }) => <Properties properties={properties} />,
  },
];

function Properties({ properties }: Pick<Breadcrumb, 'properties'>) {
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
