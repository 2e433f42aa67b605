// What cannot be undone about a game: transferring it to another owner, and deleting it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { DeleteGame } from './DeleteGame.tsx';
import { TransferGame } from './TransferGame.tsx';
import { useGame } from './use-game.ts';

export function DangerPage() {
  const game = useGame();
  const [deletes, setDeletes] = useState(false);
  return (
    <Stack gap="xl">
      <PageHead title="Danger zone" tab={`Danger zone · ${game.name}`} />
      {game.role === 'owner' ? (
        <>
          <TransferGame game={game} />
          <Section title="Delete the game">
            <Text size="sm">
              Deletes {game.name} with its builds, store page, crash reports, events and bug tickets, for you and for
              everybody else. This cannot be undone.
            </Text>
            <Group>
              <Button color="red.9" onClick={() => setDeletes(true)}>
                Delete the game
              </Button>
            </Group>
          </Section>
        </>
      ) : (
        <Text size="sm">
          Only the owner can transfer or delete the game. To give up your own access, leave it on the page{' '}
          <SiteLink to="/dev/$slug/edit/admins" params={{ slug: game.slug }} size="sm">
            Admins
          </SiteLink>
          .
        </Text>
      )}
      {deletes && <DeleteGame game={game} onClose={() => setDeletes(false)} />}
    </Stack>
  );
}
