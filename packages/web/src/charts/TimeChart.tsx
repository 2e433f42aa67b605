// A chart over time with its legend and, on request, its values as a table. Series are stacked, or each has a separate
// chart.
import { listHealth } from '@chauffeur/contract/operations/health';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../api.ts';
import { BackdropSwatch, Bars, LazySeriesTable, LineSwatch, Swatch, TableButton } from './Bars.tsx';
import classes from './Chart.module.css';
import { buildColours, colourOfBuild } from './colours.ts';
import { type ChartStep, formatTime, type Series, totalOf } from './series.ts';

type TimeChartProps = {
  /** What is counted: `Crash reports`. */
  label: string;
  /** The height of a stacked chart, in pixels. */
  height?: number;
  series: readonly Series[];
  times: readonly string[];
  step: ChartStep;
  /**
   * `stacked` if the sum means something; `separate` gives each series a chart with its own scale; `lines` draws them
   * over the faint bars of the backdrop.
   */
  shape: 'stacked' | 'separate' | 'lines';
  backdrop?: Series;
  formatBackdrop?: (value: number) => string;
  format: (value: number) => string;
  /** Formats the numbers in the table; `format` by default. */
  formatExactly?: (value: number, key: string) => string;
  /** The formatted total of a series; the sum by default. */
  formatTotal?: (series: Series) => string;
  hidden: readonly string[];
  onToggle: (key: string) => void;
  hasTable: boolean;
  onTable: (hasTable: boolean) => void;
  /** A table that has more than the values of the chart. */
  table?: ReactNode;
};

const STACKED_HEIGHT = 260;
const SEPARATE_HEIGHT = 120;

export function TimeChart(props: TimeChartProps) {
  const {
    label,
    series,
    times,
    step,
    format,
    formatExactly = format,
    hidden,
    hasTable,
    onToggle,
    onTable,
    table,
  } = props;
  const formatTotal = props.formatTotal ?? ((each: Series) => format(totalOf(each)));
  const shown = series.filter(({ key }) => !hidden.includes(key));
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm" align="flex-start">
        <Legend series={series} backdrop={props.backdrop} {...{ hidden, formatTotal, onToggle }} />
        <TableButton isShown={hasTable} onChange={onTable} />
      </Group>
      {shown.length === 0 && <Text size="sm">All series are hidden. Select one in the legend.</Text>}
      <Charts {...props} series={shown} formatTotal={formatTotal} />
      {hasTable &&
        shown.length > 0 &&
        (table ?? (
          <LazySeriesTable
            label={label}
            series={props.backdrop === undefined ? shown : [...shown, props.backdrop]}
            times={times}
            step={step}
            format={formatExactly}
          />
        ))}
    </Stack>
  );
}

type ChartsProps = Pick<
  TimeChartProps,
  'label' | 'height' | 'series' | 'times' | 'step' | 'shape' | 'format' | 'backdrop' | 'formatBackdrop'
> & {
  formatTotal: (series: Series) => string;
};

function Charts(props: ChartsProps) {
  const {
    label,
    height = STACKED_HEIGHT,
    series,
    backdrop,
    formatBackdrop,
    times,
    step,
    shape,
    format,
    formatTotal,
  } = props;
  if (series.length === 0) return null;
  const span = `${formatTime(times[0] ?? '', step)} to ${formatTime(times.at(-1) ?? '', step)}`;
  const describe = (shown: readonly Series[]) =>
    `${label} by ${step}, ${span}. ${shown.map((each) => `${each.label}: ${formatTotal(each)}`).join('; ')}.`;
  const common = { times, step, format };
  if (shape === 'lines') {
    const all = backdrop === undefined ? series : [...series, backdrop];
    return <Bars {...common} {...{ series, backdrop, formatBackdrop, height }} description={describe(all)} />;
  }
  if (shape === 'stacked' || series.length === 1)
    return <Bars {...common} series={series} height={height} description={describe(series)} />;
  return series.map((each) => (
    <div key={each.key}>
      <Text size="sm" c="dimmed">
        {each.label}
      </Text>
      <Bars {...common} series={[each]} height={SEPARATE_HEIGHT} description={describe([each])} />
    </div>
  ));
}

type LegendProps = {
  series: readonly Series[];
  /** It cannot be hidden. */
  backdrop: Series | undefined;
  hidden: readonly string[];
  /** The formatted total of a series. */
  formatTotal: (series: Series) => string;
  onToggle: (key: string) => void;
};

/** The legend of a chart. Each entry is a button that hides or shows its series. */
function Legend({ series, backdrop, hidden, formatTotal, onToggle }: LegendProps) {
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
            {backdrop === undefined ? <Swatch look={each} /> : <LineSwatch look={each} />}
            {each.label}
            <span className={classes.total}>{formatTotal(each)}</span>
          </button>
        </li>
      ))}
      {backdrop !== undefined && (
        <li className={classes.note}>
          <BackdropSwatch />
          {backdrop.label}
          <span className={classes.total}>{formatTotal(backdrop)}</span>
        </li>
      )}
    </ul>
  );
}

/**
 * The colours of a game's builds. All charts share one list: the builds with recent devices. For other builds, the id
 * alone decides.
 */
export function useBuildColours(gameUid: string): (buildId: string) => number {
  const { data } = useQuery(ask(listHealth, { uid: gameUid }));
  const recent = data?.builds.map(({ build_id }) => build_id).toReversed() ?? [];
  const colours = buildColours(recent);
  return (buildId) => colours.get(buildId) ?? colourOfBuild(buildId);
}
