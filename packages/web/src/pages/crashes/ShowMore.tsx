// The way on in a list that comes in pages.
import { Button } from '@mantine/core';
import type { LiveList } from './use-live-list.ts';

export function ShowMore<Item>({ list, what }: { list: LiveList<Item>; what: string }) {
  if (!list.hasNext) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={list.isLoadingNext}
      onClick={list.showNext}
      style={{ alignSelf: 'flex-start' }}
    >
      Show more {what}
    </Button>
  );
}
