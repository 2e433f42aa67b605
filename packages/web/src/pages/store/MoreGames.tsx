// The button below a grid of games that loads the next page.
import { Group } from '@mantine/core';
import { ShowMore } from '../../ui/ShowMore.tsx';
import type { NextPage } from '../../ui/use-pages.ts';

export function MoreGames({ list }: { list: NextPage }) {
  if (!list.hasNext) return null;
  return (
    <Group justify="center" mt="lg">
      <ShowMore list={list}>Show more games</ShowMore>
    </Group>
  );
}
