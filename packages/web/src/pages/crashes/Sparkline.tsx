// A word-sized chart of a group's reports in the last 30 days.
import { formatNumber } from '@chauffeur/contract/format';
import { formatTime } from '../../charts/format-time.ts';
import { useNow } from '../../ui/use-now.ts';
import classes from './crashes.module.css';
import { DAYS_SHOWN, lastDays } from './days.ts';

const BAR = 3;
const HEIGHT = 20;
/** Keeps a day with one report visible next to one with thousands. */
const MIN_HEIGHT = 2;

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
    <svg className={classes.spark} width={DAYS_SHOWN * BAR} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      {shown.map(({ day, count }, index) => {
        const height = count === 0 ? 1 : Math.max(MIN_HEIGHT, (count / max) * HEIGHT);
        return (
          <rect
            key={day}
            className={count === 0 ? classes.empty : undefined}
            x={index * BAR}
            y={HEIGHT - height}
            width={BAR - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
