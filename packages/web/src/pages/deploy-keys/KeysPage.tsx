// The keys of a game: its deploy key, and the upload tokens below it.
import { Stack } from '@mantine/core';
import { PageHead } from '../../ui/PageLayout.tsx';
import { useGame } from '../games/use-game.ts';
import { DeployKeys } from './DeployKeys.tsx';
import { UploadTokens } from './UploadTokens.tsx';

export function KeysPage() {
  const game = useGame();
  return (
    <Stack gap="xl">
      <PageHead title="Keys" tabTitle={`Keys · ${game.name}`} />
      <DeployKeys gameUid={game.game_uid} />
      <UploadTokens gameUid={game.game_uid} />
    </Stack>
  );
}
