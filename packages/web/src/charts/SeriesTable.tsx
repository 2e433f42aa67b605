// The counts of a chart as a table, newest first.
import { Table } from '@mantine/core';
import { ScrollBox } from '../ui/ScrollBox.tsx';
import table from '../ui/table.module.css';
import { formatTime } from './format-time.ts';
import type { Series, Step } from './series.ts';

type SeriesTableProps = {
  label: string;
  series: readonly Series[];
  times: readonly string[];
  step: Step;
  format: (value: number) => string;
};

export function SeriesTable({ label, series, times, step, format }: SeriesTableProps) {
  return (
    <ScrollBox label={`${label}, as a table`}>
      <Table className={table.table} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{step === 'day' ? 'Day (UTC)' : 'Hour'}</Table.Th>
            {series.map((each) => (
              <Table.Th key={each.key} ta="right" className={table.small}>
                {each.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times.toReversed().map((at) => (
            <Table.Tr key={at}>
              <Table.Td className={table.small}>{formatTime(at, step)}</Table.Td>
              {series.map((each) => (
                <Table.Td key={each.key} ta="right">
                  {format(each.values.get(at) ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}
