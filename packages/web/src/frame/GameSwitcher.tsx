// A menu that shows the current game and switches to another.
import { listGames } from '@chauffeur/contract/operations/games';
import { Button, Loader, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../api.ts';
import type { OpenGame } from '../pages/games/use-game.ts';
import classes from './GameSwitcher.module.css';

export function GameSwitcher({ game }: { game: OpenGame }) {
  const [opened, setOpened] = useState(false);
  const { data, isPending } = useQuery({ ...ask(listGames, {}), enabled: opened });
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={260}
      transitionProps={{ duration: 0 }}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="inherit"
          px="xs"
          ml={-8}
          miw={0}
          fw={650}
          fz="md"
          rightSection={<Chevron />}
          classNames={{ label: classes.name }}
          aria-label={`Game: ${game.name}. Switch game`}
        >
          {game.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {isPending && (
          <Menu.Item disabled leftSection={<Loader size={12} />}>
            Loading games…
          </Menu.Item>
        )}
        {data?.games.map(({ game_uid, slug, name }) => (
          <Menu.Item key={game_uid} component={Link} to={`/dev/${slug}`} fw={slug === game.slug ? 650 : undefined}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/dev">
          All games
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Chevron() {
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path d="m3 4.5 3 3 3-3" />
    </svg>
  );
}
