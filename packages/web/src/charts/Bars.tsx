// Series as bars over time, one on the other. What they show is said in words, and number by number in the table beside it.
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { useId } from 'react';
import classes from './Chart.module.css';
import { colourOf, FillPattern } from './Fill.tsx';
import { sayTick, sayTime } from './say-time.ts';
import { rowsOf, type Series, type Step } from './series.ts';

type BarsProps = {
  series: readonly Series[];
  times: readonly string[];
  step: Step;
  height: number;
  /** What the picture shows, for who does not see it. */
  says: string;
  format: (value: number) => string;
};

const AXIS_WIDTH = 60;

export function Bars({ series, times, step, height, says, format }: BarsProps) {
  const id = useId();
  return (
    <div role="img" aria-label={says} className={classes.bars}>
      <BarChart
        h={height}
        data={rowsOf(times, series)}
        dataKey="at"
        type="stacked"
        series={series.map((each, place) => ({ name: `s${place}`, label: each.label, color: colourOf(each) }))}
        barProps={({ name }) => ({ fill: `url(#${id}${name})` })}
        maxBarWidth={28}
        valueFormatter={format}
        accessibilityLayer={false}
        gridAxis="x"
        tickLine="none"
        barChartProps={{ barCategoryGap: times.length > 60 ? 1 : '15%', margin: { top: 4, right: 8 } }}
        xAxisProps={{ tickFormatter: (at: string) => sayTick(at, step), minTickGap: 24 }}
        yAxisProps={{ width: AXIS_WIDTH, allowDecimals: false, tickCount: height < 200 ? 3 : 5 }}
        // Asked as well when nothing is pointed at.
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'string' ? sayTime(at, step) : '') }}
      >
        <defs>
          {series.map((each, place) => (
            <FillPattern key={each.key} id={`${id}s${place}`} look={each} />
          ))}
        </defs>
      </BarChart>
    </div>
  );
}
