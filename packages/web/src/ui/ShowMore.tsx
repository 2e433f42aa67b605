// The buttons that add rows to a list: its next page, or what is new.
import { Button } from '@mantine/core';

/** What the button needs of a list. */
export type NextPage = {
  readonly hasNext: boolean;
  readonly isLoadingNext: boolean;
  readonly showNext: () => void;
};

type ShowMoreProps = {
  list: NextPage;
  /** Names the rows: `Show older builds`. */
  children: string;
};

/** Loads the next page of a list. It isn't rendered on the last page. */
export function ShowMore({ list, children }: ShowMoreProps) {
  if (!list.hasNext) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={list.isLoadingNext}
      onClick={list.showNext}
      style={{ alignSelf: 'flex-start' }}
    >
      {children}
    </Button>
  );
}

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

/** Adds new rows to a live list, which doesn't change on its own while someone reads it. */
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
