// The way on in a list that comes page by page; nothing where there are no more.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

type NextPageProps = {
  /** As a query of pages tells them. */
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  children: ReactNode;
};

export function NextPage({ hasNextPage, isFetchingNextPage, fetchNextPage, children }: NextPageProps) {
  if (!hasNextPage) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
      style={{ alignSelf: 'flex-start' }}
    >
      {children}
    </Button>
  );
}
