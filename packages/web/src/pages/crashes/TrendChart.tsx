// A chart of a group's reports by day and version, for the last 30 days.

import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashGroup } from '@chauffeur/contract/operations/crashes';
import { getRouteApi } from '@tanstack/react-router';
import { readList, toggled, writeList } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
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
  const change = (changed: typeof search) =>
    void navigate({ search: { ...search, ...changed }, replace: true, resetScroll: false });
  return (
    <section aria-label={`Reports in the last ${DAYS_SHOWN} days`}>
      <TimeChart
        label="Reports"
        series={seriesOf(group, colourOf, times)}
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
