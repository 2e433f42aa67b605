// The names of a chart's series with their looks; each can be taken out of the chart and put back.
import classes from './Chart.module.css';
import { Swatch } from './Fill.tsx';
import type { Series } from './series.ts';

type LegendProps = {
  series: readonly Series[];
  hidden: readonly string[];
  /** What a series has in all, in words. */
  total: (series: Series) => string;
  onToggle: (key: string) => void;
};

export function Legend({ series, hidden, total, onToggle }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label="Series">
      {series.map((each) => (
        <li key={each.key}>
          <button
            type="button"
            className={classes.entry}
            aria-pressed={!hidden.includes(each.key)}
            onClick={() => onToggle(each.key)}
          >
            <Swatch look={each} />
            {each.label}
            <span className={classes.total}>{total(each)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
