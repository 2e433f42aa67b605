// The values of a chart as a table, newest first.
import { ScrollBox } from '../ui/DataTable.tsx';
import table from '../ui/table.module.css';
import { type ChartStep, formatTime, type Series } from './series.ts';

export type SeriesTableProps = {
  label: string;
  series: readonly Series[];
  times: readonly string[];
  step: ChartStep;
  format: (value: number, key: string) => string;
};

/** The widths of the columns, so that the numbers stay close to their day in a wide window. */
const FIRST_WIDTH = 240;
const COLUMN_WIDTH = 200;

export function SeriesTable({ label, series, times, step, format }: SeriesTableProps) {
  return (
    <ScrollBox label={`${label}, as a table`} className={table.bleed}>
      <table
        className={table.table}
        style={{ maxWidth: FIRST_WIDTH + COLUMN_WIDTH * series.length }}
        aria-label={label}
      >
        <thead>
          <tr>
            <th>{step === 'day' ? 'Day (UTC)' : 'Hour'}</th>
            {series.map((each) => (
              <th key={each.key} data-align="right" className={table.small}>
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.toReversed().map((at) => (
            <tr key={at}>
              <td className={table.small}>{formatTime(at, step)}</td>
              {series.map((each) => (
                <td key={each.key} data-align="right">
                  {each.values.has(at) ? format(each.values.get(at) ?? 0, each.key) : '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
