// How often a group was seen in the last 30 days, as a picture of the size of a word.
import { sayTime } from '../../charts/say-time.ts';
import { sayExactNumber } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import classes from './crashes.module.css';
import { DAYS_SHOWN, lastDays } from './days.ts';

const BAR = 3;
const HEIGHT = 20;
/** A day with one report is seen beside one with thousands. */
const LEAST = 2;

export function Sparkline({ days }: { days: readonly { day: string; count: number }[] }) {
  const shown = lastDays(days, useNow());
  const most = Math.max(...shown.map(({ count }) => count));
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  const busiest = shown.find(({ count }) => count === most);
  const says =
    total === 0 || busiest === undefined
      ? `None in ${DAYS_SHOWN} days`
      : `${sayExactNumber(total)} in ${DAYS_SHOWN} days; most on ${sayTime(busiest.day, 'day')}: ${sayExactNumber(most)}`;
  return (
    <svg className={classes.spark} width={DAYS_SHOWN * BAR} height={HEIGHT} role="img" aria-label={says}>
      <title>{says}</title>
      {shown.map(({ day, count }, index) => {
        const height = count === 0 ? 1 : Math.max(LEAST, (count / most) * HEIGHT);
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
