// The button that adds new rows to a live list. The list doesn't change on its own while someone reads it.
import { Button } from '@mantine/core';

export type Arrivals = {
  /** The number of new rows on the first page. */
  readonly arrivals: number;
  /** Whether there may be more new rows than `arrivals`. */
  readonly hasMoreArrivals: boolean;
  readonly showNew: () => void;
};

type ShowNewButtonProps = {
  list: Arrivals;
  /** The label; `isAtLeast` if there may be more new rows than `count`. */
  format: (count: number, isAtLeast: boolean) => string;
};

export function ShowNewButton({ list: { arrivals, hasMoreArrivals, showNew }, format }: ShowNewButtonProps) {
  return (
    <div role="status">
      {arrivals > 0 && (
        <Button size="compact-sm" variant="light" onClick={showNew}>
          {format(arrivals, hasMoreArrivals)}
        </Button>
      )}
    </div>
  );
}
