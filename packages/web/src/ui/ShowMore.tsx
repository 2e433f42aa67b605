// The button that loads the next page of a list. It isn't rendered on the last page.
import { Button } from '@mantine/core';
import type { NextPage } from './use-pages.ts';

type ShowMoreProps = {
  list: NextPage;
  /** Names the rows: `Show older builds`. */
  children: string;
};

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
