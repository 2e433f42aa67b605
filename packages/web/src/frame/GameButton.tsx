// The button with the name of the current game, which opens the menu of games.
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import type { OpenGame } from '../pages/games/use-game.ts';
import { GameTile } from '../ui/GameTile.tsx';
import classes from './GameSwitcher.module.css';

type GameButtonProps = Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & { game: OpenGame };

export function GameButton({ game, ...rest }: GameButtonProps) {
  return (
    <Button
      {...rest}
      variant="subtle"
      color="gray"
      c="inherit"
      px="xs"
      ml={-8}
      miw={0}
      fw={650}
      fz={{ base: 'md', sm: 'lg' }}
      leftSection={<GameTile game={game} height={28} />}
      rightSection={<Chevron />}
      classNames={{ label: classes.name }}
      aria-label={`Game: ${game.name}. Switch game`}
    >
      {game.name}
    </Button>
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
