// Says that something new waits, and shows it when asked: the list itself stays where it is.
import { Button } from '@mantine/core';
import classes from './crashes.module.css';
import type { LiveList } from './use-live-list.ts';

export function NewRows<Item>({ list, one }: { list: LiveList<Item>; one: string }) {
  const { arrivals, hasMore, showNew } = list;
  const what = arrivals === 1 && !hasMore ? one : `${one}s`;
  return (
    <div role="status" className={classes.live}>
      {arrivals > 0 && (
        <Button size="compact-sm" variant="light" onClick={showNew}>
          Show {arrivals}
          {hasMore && ' or more'} new {what}
        </Button>
      )}
    </div>
  );
}
