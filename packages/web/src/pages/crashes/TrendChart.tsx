// A chart of a group's reports by day and version, for the last 30 days.

import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashGroup } from '@chauffeur/contract/operations/crashes';
import { Button, Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Bars } from '../../charts/Bars.tsx';
import { Legend } from '../../charts/Legend.tsx';
import { SeriesTable } from '../../charts/SeriesTable.tsx';
import { readList, toggled, totalOf, writeList } from '../../charts/series.ts';
import { useBuildColours } from '../../charts/use-build-colours.ts';
import { useNow } from '../../ui/use-now.ts';
import { DAYS_SHOWN, lastDays } from './days.ts';
import { seriesOf } from './trend.ts';

export type GroupDetail = OutputOf<typeof getCrashGroup>;

const route = getRouteApi('/signed-in/dev/$slug/crashes/groups/$groupId');

const HEIGHT = 120;

export function TrendChart({ group, gameUid }: { group: GroupDetail; gameUid: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const colourOf = useBuildColours(gameUid);
  const times = lastDays([], useNow()).map(({ day }) => day);
  const hidden = readList(search.hidden);
  const hasTable = search.table === '1';
  const series = seriesOf(group, colourOf);
  const shown = series.filter(({ key }) => !hidden.includes(key));
  const total = series.reduce((sum, each) => sum + totalOf(each), 0);
  const change = (changed: typeof search) => void navigate({ search: { ...search, ...changed }, replace: true });
  return (
    <Stack gap="xs" component="section" aria-label={`Reports in the last ${DAYS_SHOWN} days`}>
      <Legend
        series={series}
        hidden={hidden}
        formatTotal={(each) => formatNumber(totalOf(each))}
        onToggle={(key) => change({ hidden: writeList(toggled(hidden, key)) })}
      />
      <Bars
        series={shown}
        times={times}
        step="day"
        height={HEIGHT}
        description={`Reports in the last ${DAYS_SHOWN} days: ${formatNumber(total)}. By version: ${series
          .map((each) => `${each.label}: ${formatNumber(totalOf(each))}`)
          .join(', ')}.`}
        format={formatNumber}
      />
      <Group justify="flex-end">
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-expanded={hasTable}
          onClick={() => change({ table: hasTable ? undefined : '1' })}
        >
          {hasTable ? 'Hide table' : 'Show as table'}
        </Button>
      </Group>
      {hasTable && (
        <SeriesTable
          label="Reports by day"
          series={shown}
          times={times}
          step="day"
          format={(value) => (value === undefined ? '–' : formatNumber(value))}
        />
      )}
    </Stack>
  );
}
