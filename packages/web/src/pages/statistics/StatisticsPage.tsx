// Statistics of a game's page: views, downloads and plays by day, version, OS and referrer, of the game or of one
// build.
import { formatNumber, formatOs } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getStatistics } from '@chauffeur/contract/operations/statistics';
import { Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { readList, type Series, toggled, writeList } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { Figures } from '../../ui/Facts.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import { useGame } from '../games/use-game.ts';

const route = getRouteApi('/signed-in/dev/$slug/statistics');

type Statistics = OutputOf<typeof getStatistics>;

const SPANS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
] as const;
type Span = (typeof SPANS)[number]['value'];

export function StatisticsPage() {
  const game = useGame();
  const { days, build } = route.useSearch();
  const navigate = route.useNavigate();
  const span = SPANS.find(({ value }) => value === days)?.value ?? '30';
  const { data, error, refetch } = useQuery({
    ...ask(getStatistics, { uid: game.game_uid, days: Number(span), ...(build !== undefined && { build_id: build }) }),
    placeholderData: keepPreviousData,
  });
  const choose = (value: Span) =>
    void navigate({ search: (before) => ({ ...before, days: value === '30' ? undefined : value }), replace: true });
  return (
    <Stack gap="lg">
      <PageHead title="Statistics" tabTitle={`Statistics · ${game.name}`} />
      <Group justify="space-between" gap="sm">
        <Choice label="Time" value={span} choices={SPANS} onChange={choose} />
        {build !== undefined && (
          <Group gap="md">
            <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug: game.slug, buildId: build }} size="sm">
              View build
            </SiteLink>
            <SiteLink to="/dev/$slug/statistics" params={{ slug: game.slug }} size="sm">
              Show all builds
            </SiteLink>
          </Group>
        )}
      </Group>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={{ base: 1400, md: 840 }} />}
      {data !== undefined && <Counts data={data} isOfBuild={build !== undefined} />}
    </Stack>
  );
}

const KINDS = [
  { key: 'views', label: 'Page views' },
  { key: 'downloads', label: 'Downloads' },
  { key: 'plays', label: 'Plays in the browser' },
] as const;

function Counts({ data, isOfBuild }: { data: Statistics; isOfBuild: boolean }) {
  const { slug } = useGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const hidden = readList(search.hidden);
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const kinds = KINDS.filter(({ key }) => key !== 'views' || !isOfBuild);
  if (kinds.every(({ key }) => data.totals[key] === 0) && !data.followers) {
    return (
      <EmptyState>
        {isOfBuild ? 'No downloads or plays of this build in this time.' : 'No views, downloads or plays in this time.'}
      </EmptyState>
    );
  }
  const times = data.days.map(({ day }) => `${day}T00:00:00.000Z`);
  // A kind without any has a number, but an empty chart and columns of zeros say no more than that.
  const series: Series[] = kinds.flatMap(({ key, label }, index) =>
    data.totals[key] === 0
      ? []
      : [
          {
            key,
            label,
            colour: index,
            pattern: index,
            values: new Map(data.days.map((counts, at) => [times[at] ?? '', counts[key]])),
          },
        ],
  );
  const withoutEmpty = <Row,>(columns: readonly Column<Row>[]) =>
    columns.filter(({ header }) => header !== PLAYS || data.totals.plays > 0);
  return (
    <>
      <Figures
        figures={[
          ...kinds.map(({ key, label }) => ({ name: label, value: formatNumber(data.totals[key]) })),
          ...(data.followers === null ? [] : [{ name: 'Followers', value: formatNumber(data.followers) }]),
        ]}
      />
      {series.length > 0 && (
        <TimeChart
          label="Statistics"
          series={series}
          times={times}
          step="day"
          shape="separate"
          format={formatNumber}
          hidden={hidden}
          onToggle={(key) => change({ hidden: writeList(toggled(hidden, key)) })}
          hasTable={search.table !== undefined}
          onTable={(hasTable) => change({ table: hasTable ? '1' : undefined })}
        />
      )}
      <SimpleGrid cols={{ base: 1, md: isOfBuild ? 1 : 3 }} spacing="xl">
        <Breakdown
          title="Versions"
          rows={data.versions}
          columns={withoutEmpty(versionColumns(slug))}
          keyOf={({ version }) => version}
        />
        {!isOfBuild && (
          <>
            <Breakdown
              title="OS"
              rows={data.systems}
              columns={withoutEmpty(SYSTEM_COLUMNS)}
              keyOf={({ os }) => os ?? ''}
            />
            <Breakdown
              title="Referrers"
              rows={data.referrers}
              columns={withoutEmpty(REFERRER_COLUMNS)}
              keyOf={({ host }) => host ?? ''}
            />
          </>
        )}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Counted without cookies or stored addresses. Days are in UTC, and today is incomplete.{' '}
        <DocLink page="shelves#statistics">What is counted</DocLink>
      </Text>
    </>
  );
}

function number<Row>(header: string, read: (row: Row) => number): Column<Row> {
  return { header, align: 'right', cell: (row) => formatNumber(read(row)) };
}

type Version = Statistics['versions'][number];
type System = Statistics['systems'][number];
type Referrer = Statistics['referrers'][number];

const PLAYS = 'Plays';

const versionColumns = (slug: string): readonly Column<Version>[] => [
  {
    header: 'Version',
    cell: ({ version }) => (
      <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }} size="sm">
        {version}
      </SiteLink>
    ),
  },
  number('Downloads', ({ downloads }: Version) => downloads),
  number(PLAYS, ({ plays }: Version) => plays),
];

const SYSTEM_COLUMNS: readonly Column<System>[] = [
  { header: 'OS', cell: ({ os }) => (os === null ? 'Unknown' : formatOs(os)) },
  number('Views', ({ views }: System) => views),
  number('Downloads', ({ downloads }: System) => downloads),
  number(PLAYS, ({ plays }: System) => plays),
];

const REFERRER_COLUMNS: readonly Column<Referrer>[] = [
  { header: 'Website', cell: ({ host }) => (host === null ? 'No referrer' : host === 'other' ? 'Others' : host) },
  number('Views', ({ views }: Referrer) => views),
  number('Downloads', ({ downloads }: Referrer) => downloads),
  number(PLAYS, ({ plays }: Referrer) => plays),
];

type BreakdownProps<Row> = {
  title: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
};

function Breakdown<Row>({ title, rows, columns, keyOf }: BreakdownProps<Row>) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <DataTable
        label={title}
        keepsColumns
        rows={rows}
        columns={columns}
        rowKey={keyOf}
        isLoading={false}
        skeletonRows={3}
        empty={<EmptyState>No data for this time.</EmptyState>}
      />
    </Stack>
  );
}
