// The reports of a group in the last 30 days: as a chart by version on its page, and word-sized in the list.
import { formatNumber } from '@chauffeur/contract/format';
import { Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { formatTime, readList, toggled, writeList } from '../../charts/series.ts';
import { TimeChart, useBuildColours } from '../../charts/TimeChart.tsx';
import { useNow } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import { DAYS_SHOWN, lastDays, seriesOf } from './trend-series.ts';
import type { GroupDetail } from './use-triage.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes/groups/$groupId');

const HEIGHT = 104;

export function TrendChart({ group, gameUid }: { group: GroupDetail; gameUid: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const colourOf = useBuildColours(gameUid);
  const times = lastDays([], useNow()).map(({ day }) => day);
  const hidden = readList(search.hidden);
  const change = (changed: typeof search) =>
    void navigate({ search: { ...search, ...changed }, replace: true, resetScroll: false });
  const series = seriesOf(group, colourOf, times);
  if (series.length === 0) return <Text size="sm">No reports from the last {DAYS_SHOWN} days are stored.</Text>;
  return (
    <section aria-label={`Reports in the last ${DAYS_SHOWN} days`}>
      <TimeChart
        label="Reports"
        series={series}
        times={times}
        step="day"
        shape="stacked"
        height={HEIGHT}
        format={formatNumber}
        hidden={hidden}
        onToggle={(key) => change({ hidden: writeList(toggled(hidden, key)) })}
        hasTable={search.table === '1'}
        onTable={(hasTable) => change({ table: hasTable ? '1' : undefined })}
      />
    </section>
  );
}

const SPARK_BAR = 3;
const SPARK_HEIGHT = 20;
/** The lowest bar, which keeps a day with one report visible next to one with thousands. */
const MIN_SPARK_HEIGHT = 2;

/** A word-sized chart of a group's reports in the last 30 days. */
export function Sparkline({ days }: { days: readonly { day: string; count: number }[] }) {
  const shown = lastDays(days, useNow());
  const max = Math.max(...shown.map(({ count }) => count));
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  const busiest = shown.find(({ count }) => count === max);
  const label =
    total === 0 || busiest === undefined
      ? `No reports in ${DAYS_SHOWN} days`
      : `Reports in ${DAYS_SHOWN} days: ${formatNumber(total)}. Peak: ${formatNumber(max)} on ${formatTime(busiest.day, 'day')}.`;
  return (
    <svg className={classes.spark} width={DAYS_SHOWN * SPARK_BAR} height={SPARK_HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      {shown.map(({ day, count }, index) => {
        const height = count === 0 ? 1 : Math.max(MIN_SPARK_HEIGHT, (count / max) * SPARK_HEIGHT);
        return (
          <rect
            key={day}
            className={count === 0 ? classes.empty : undefined}
            x={index * SPARK_BAR}
            y={SPARK_HEIGHT - height}
            width={SPARK_BAR - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
