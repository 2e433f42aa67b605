// Two builds side by side, and whether one is better than the other.
import {
  formatDuration,
  formatMilliseconds,
  formatNumber,
  formatPercent,
  formatPlatform,
} from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { compareHealth } from '@chauffeur/contract/operations/health';
import { Group, NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatShare } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { formatDifference, formatVerdict, type RatedBuild } from './health-days.ts';

const route = getRouteApi('/signed-in/dev/$slug/health');

type Comparison = OutputOf<typeof compareHealth>;
type CompareBuildsProps = {
  gameUid: string;
  builds: readonly RatedBuild[];
  /** The ID of the build that is compared with another one. */
  selected: string;
};

/** Compares two builds. Renders nothing unless there are two. */
export function CompareBuilds({ gameUid, builds, selected }: CompareBuildsProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const others = builds.filter(({ build_id: id }) => id !== selected);
  const build = builds.find(({ build_id: id }) => id === selected);
  if (build === undefined || others.length === 0) return null;
  const other = others.find(({ build_id: id }) => id === search.other)?.build_id;
  return (
    <Stack gap="sm" component="section" aria-labelledby="compare">
      <Title order={2} size="h4" id="compare">
        Compare
      </Title>
      <Group gap="sm">
        <NativeSelect
          label={`${build.version} for ${formatPlatform(build)}, compared with`}
          size="xs"
          value={other ?? ''}
          data={[
            { value: '', label: 'Choose a build' },
            ...others.map((each) => ({ value: each.build_id, label: `${each.version} for ${formatPlatform(each)}` })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              search: (before) => ({ ...before, build: selected, other: value === '' ? undefined : value }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </Group>
      {other !== undefined && <ComparedHealth gameUid={gameUid} buildId={selected} other={other} />}
    </Stack>
  );
}

/** The launch health of a build next to that of another one. */
export function ComparedHealth({ gameUid, buildId, other }: { gameUid: string; buildId: string; other: string }) {
  const { data, error, refetch } = useQuery(ask(compareHealth, { uid: gameUid, build_id: buildId, other }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={220} />;
  return (
    <>
      <DataTable
        label="Comparison"
        keepsColumns
        columns={columnsOf(data)}
        rows={rowsOf(data)}
        rowKey={({ name }) => name}
      />
      <Text size="sm" c="dimmed">
        Differences are in percentage points, with their 95% confidence interval. It is unclear which build is better if
        the interval contains 0. A device counts once on each day that it plays.
      </Text>
    </>
  );
}

type Row = {
  readonly name: string;
  readonly mine: string;
  readonly theirs: string;
  readonly difference?: Comparison['booted'];
};

const TONES: Readonly<Record<Comparison['booted']['verdict'], Tone>> = {
  better: 'good',
  worse: 'bad',
  unclear: 'none',
};

function columnsOf({ build, other }: Comparison): Column<Row>[] {
  return [
    { header: 'Last 30 days', cell: ({ name }) => name },
    { header: build.version, align: 'right', cell: ({ mine }) => mine },
    { header: other.version, align: 'right', cell: ({ theirs }) => theirs },
    {
      header: 'Difference',
      overflow: 'nowrap',
      cell: ({ difference }) =>
        difference === undefined ? null : (
          <Group gap="xs" wrap="nowrap">
            <StateBadge tone={TONES[difference.verdict]}>{formatVerdict(difference)}</StateBadge>
            <Text span size="sm">
              {formatDifference(difference)}
            </Text>
          </Group>
        ),
    },
  ];
}

function rowsOf({ build, other, booted, crash_free_days: free }: Comparison): Row[] {
  const row = (name: string, format: (build: RatedBuild) => string): Row => ({
    name,
    mine: format(build),
    theirs: format(other),
  });
  const rate = (value: number | null) => (value === null ? '–' : formatPercent(value));
  const share = (part: number, total: number) => (total === 0 ? '–' : formatShare(part, total));
  const median = (value: number | null, format: (value: number) => string) => (value === null ? '–' : format(value));
  return [
    row('Devices', ({ devices }) => formatNumber(devices)),
    { name: 'Booted', mine: rate(booted.rate), theirs: rate(booted.other_rate), difference: booted },
    { name: 'Days without a crash', mine: rate(free.rate), theirs: rate(free.other_rate), difference: free },
    row('Crash-free devices', ({ crash_free: { devices, crashed_devices } }) =>
      share(devices - crashed_devices, devices),
    ),
    row('Crash-free sessions', ({ crash_free: { sessions, crashes } }) =>
      share(Math.max(0, sessions - crashes), sessions),
    ),
    row('Median time to start', ({ boot_ms }) => median(boot_ms.median, formatMilliseconds)),
    row('Median session', ({ session_seconds }) => median(session_seconds.median, formatDuration)),
  ];
}
