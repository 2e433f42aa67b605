// Series as stacked bars over time, with a description for screen readers.
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { useId } from 'react';
import classes from './Chart.module.css';
import { colourOf, FillPattern } from './Fill.tsx';
import { formatTick, formatTime } from './format-time.ts';
import { rowsOf, type Series, type Step } from './series.ts';

type BarsProps = {
  series: readonly Series[];
  times: readonly string[];
  step: Step;
  height: number;
  /** What the chart shows, for screen readers. */
  description: string;
  format: (value: number) => string;
};

const AXIS_WIDTH = 60;

export function Bars({ series, times, step, height, description, format }: BarsProps) {
  const id = useId();
  return (
    <div role="img" aria-label={description} className={classes.bars}>
      <BarChart
        h={height}
        data={rowsOf(times, series)}
        dataKey="at"
        type="stacked"
        series={series.map((each, index) => ({ name: `s${index}`, label: each.label, color: colourOf(each) }))}
        barProps={({ name }) => ({ fill: `url(#${id}${name})` })}
        maxBarWidth={28}
        valueFormatter={format}
        accessibilityLayer={false}
        gridAxis="x"
        tickLine="none"
        barChartProps={{ barCategoryGap: times.length > 60 ? 1 : '15%', margin: { top: 4, right: 8 } }}
        xAxisProps={{ tickFormatter: (at: string) => formatTick(at, step), minTickGap: 24 }}
        yAxisProps={{ width: AXIS_WIDTH, allowDecimals: false, tickCount: height < 200 ? 3 : 5 }}
        // Also called while nothing is hovered.
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'string' ? formatTime(at, step) : '') }}
      >
        <defs>
          {series.map((each, index) => (
            <FillPattern key={each.key} id={`${id}s${index}`} look={each} />
          ))}
        </defs>
      </BarChart>
    </div>
  );
}
