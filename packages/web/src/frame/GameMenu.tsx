// The menu that switches to another game. It opens when it is first rendered.
import { listGames } from '@chauffeur/contract/operations/games';
import { Loader, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ask } from '../api.ts';
import type { OpenGame } from '../pages/games/use-game.ts';
import { GameTile } from '../ui/GameTile.tsx';
import { GameButton } from './GameButton.tsx';

export function GameMenu({ game }: { game: OpenGame }) {
  const [opened, setOpened] = useState(true);
  const { data, isPending } = useQuery({ ...ask(listGames, {}), enabled: opened });
  const items = useRef<HTMLDivElement>(null);
  const isReady = opened && data !== undefined;
  // The library itself sets the focus too early: before the games are loaded.
  useEffect(() => {
    if (isReady) items.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [isReady]);
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={280}
      transitionProps={{ duration: 0 }}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <GameButton game={game} />
      </Menu.Target>
      <Menu.Dropdown ref={items} mah={420} style={{ overflowY: 'auto' }}>
        {isPending && (
          <Menu.Item disabled leftSection={<Loader size={12} />}>
            Loading games…
          </Menu.Item>
        )}
        {data?.games.map((each) => (
          <Menu.Item
            key={each.game_uid}
            component={Link}
            to={`/dev/${each.slug}`}
            fw={each.slug === game.slug ? 650 : undefined}
            leftSection={<GameTile game={each} height={20} />}
          >
            {each.name}
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
