// Two stacks, frame by frame. Frames that both have are in the same row.
import type { StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { ScrollBox } from '../../ui/ScrollBox.tsx';
import table from '../../ui/table.module.css';
import classes from './compare.module.css';
import { alignStacks } from './compare-stacks.ts';
import { formatFunction, formatLocation } from './format-stack.ts';

type ComparedStacksProps = {
  a: readonly StackFrame[];
  b: readonly StackFrame[];
  /** Whether to leave out frames that both stacks have. */
  isDifferent: boolean;
};

export function ComparedStacks({ a, b, isDifferent }: ComparedStacksProps) {
  if (a.length === 0 && b.length === 0) return <Text size="sm">Neither report has a stack.</Text>;
  const rows = alignStacks(a, b).filter((row) => !isDifferent || row.a === undefined || row.b === undefined);
  if (rows.length === 0) return <Text size="sm">No differences.</Text>;
  return (
    <ScrollBox label="Stacks of both reports" className={table.bleed}>
      <table className={classes.table} aria-label="Stacks of both reports">
        <thead>
          <tr>
            <th scope="col">First report</th>
            <th scope="col">Second report</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: recursion repeats equal frames, and their order never changes
            <tr key={index} data-different={row.a === undefined || row.b === undefined || undefined}>
              <FrameCell frame={row.a} />
              <FrameCell frame={row.b} />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function FrameCell({ frame }: { frame: StackFrame | undefined }) {
  if (frame === undefined) return <td className={classes.none}>not on this stack</td>;
  return (
    <td className={classes.frame} data-own={frame.own || undefined}>
      {frame.function === null ? formatLocation(frame) : formatFunction(frame.function)}
      {frame.function !== null && <small>{formatLocation(frame)}</small>}
    </td>
  );
}
