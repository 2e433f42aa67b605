// A chart over time whole: legend, bars, and on request the table. Series are parts of one whole, or each has its own picture.
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Bars } from './Bars.tsx';
import { Legend } from './Legend.tsx';
import { sayTime } from './say-time.ts';
import { type Series, type Step, totalOf } from './series.ts';

export type TimeChartProps = {
  /** What is counted. */
  label: string;
  series: readonly Series[];
  times: readonly string[];
  step: Step;
  /** `parts`: one on the other, since their sum means something; `apart`: each with its own scale. */
  shape: 'parts' | 'apart';
  format: (value: number) => string;
  /** What a series has in all; by itself the sum. */
  total?: (series: Series) => string;
  hidden: readonly string[];
  onToggle: (key: string) => void;
  hasTable: boolean;
  onTable: (hasTable: boolean) => void;
  /** The same in numbers, of the series that are shown. */
  table: (shown: readonly Series[]) => ReactNode;
};

const WHOLE = 260;
const APART = 120;

export function TimeChart(props: TimeChartProps) {
  const { series, format, hidden, hasTable, onToggle, onTable } = props;
  const total = props.total ?? ((each: Series) => format(totalOf(each)));
  const shown = series.filter(({ key }) => !hidden.includes(key));
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm" align="flex-start">
        <Legend series={series} hidden={hidden} total={total} onToggle={onToggle} />
        <Button size="xs" variant="default" aria-pressed={hasTable} onClick={() => onTable(!hasTable)}>
          {hasTable ? 'Hide the table' : 'Show as a table'}
        </Button>
      </Group>
      {shown.length === 0 && <Text size="sm">Every series is taken out of the chart.</Text>}
      <Pictures {...props} series={shown} total={total} />
      {hasTable && shown.length > 0 && props.table(shown)}
    </Stack>
  );
}

type PicturesProps = Pick<TimeChartProps, 'label' | 'series' | 'times' | 'step' | 'shape' | 'format'> & {
  total: (series: Series) => string;
};

function Pictures({ label, series, times, step, shape, format, total }: PicturesProps) {
  if (series.length === 0) return null;
  const span = `${sayTime(times[0] ?? '', step)} to ${sayTime(times.at(-1) ?? '', step)}`;
  const say = (each: Series) => `${each.label}: ${total(each)}`;
  if (shape === 'parts' || series.length === 1) {
    const says = `${label} by ${step}, ${span}. ${series.map(say).join('; ')}.`;
    return <Bars series={series} times={times} step={step} height={WHOLE} says={says} format={format} />;
  }
  return series.map((each) => (
    <div key={each.key}>
      <Text size="sm" c="dimmed">
        {each.label}
      </Text>
      <Bars
        series={[each]}
        times={times}
        step={step}
        height={APART}
        says={`${label} by ${step}, ${span}. ${say(each)}.`}
        format={format}
      />
    </div>
  ));
}
