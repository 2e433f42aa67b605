// Actions that change who owns a game: moving it, transferring it, and deleting it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { DeleteGame } from './DeleteGame.tsx';
import { MoveGame } from './MoveGame.tsx';
import { TransferGame } from './TransferGame.tsx';
import { useGame } from './use-game.ts';

export function DangerPage() {
  const game = useGame();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Stack gap="xl">
      <PageHead title="Danger zone" tabTitle={`Danger zone · ${game.name}`} />
      <MoveGame game={game} />
      <TransferGame game={game} />
      <Section title="Delete game">
        <Text size="sm">
          {`Permanently deletes ${game.name} with its builds, store page, crash reports, events and bug tickets, for you and everyone else.`}
        </Text>
        <Group>
          <Button color="red.9" onClick={() => setDeleting(true)}>
            Delete game
          </Button>
        </Group>
      </Section>
      {isDeleting && <DeleteGame game={game} onClose={() => setDeleting(false)} />}
    </Stack>
  );
}
