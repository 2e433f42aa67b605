// What operators decide about the store: the featured game.
import { Stack } from '@mantine/core';
import { PageHead } from '../../ui/PageHead.tsx';
import { FeaturedGame } from './FeaturedGame.tsx';

export function StorePage() {
  return (
    <Stack gap="xl">
      <PageHead title="Store" />
      <FeaturedGame />
    </Stack>
  );
}
