// What operators decide about the store: reports of pages, and the featured game.
import { Stack } from '@mantine/core';
import { PageHead } from '../../ui/PageHead.tsx';
import { FeaturedGame } from './FeaturedGame.tsx';
import { ReportedGames } from './ReportedGames.tsx';

export function StorePage() {
  return (
    <Stack gap="xl">
      <PageHead title="Store" />
      <ReportedGames />
      <FeaturedGame />
    </Stack>
  );
}
