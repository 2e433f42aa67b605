// The legend of a chart. Each entry is a button that hides or shows its series.
import classes from './Chart.module.css';
import { Swatch } from './Fill.tsx';
import type { Series } from './series.ts';

type LegendProps = {
  series: readonly Series[];
  hidden: readonly string[];
  /** The formatted total of a series. */
  formatTotal: (series: Series) => string;
  onToggle: (key: string) => void;
};

export function Legend({ series, hidden, formatTotal, onToggle }: LegendProps) {
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
            <span className={classes.total}>{formatTotal(each)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
