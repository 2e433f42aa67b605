// Shows the current game, and switches to another. The menu is loaded when it is first opened.
import { Suspense, useState } from 'react';
import type { OpenGame } from '../pages/games/use-game.ts';
import { GameButton } from './GameButton.tsx';
import { lazyPart } from './load-code.ts';

const GameMenu = lazyPart(async () => (await import('./GameMenu.tsx')).GameMenu);

export function GameSwitcher({ game }: { game: OpenGame }) {
  const [wasOpened, setOpened] = useState(false);
  const button = <GameButton game={game} aria-haspopup="menu" onClick={() => setOpened(true)} />;
  return wasOpened ? (
    <Suspense fallback={button}>
      <GameMenu game={game} />
    </Suspense>
  ) : (
    button
  );
}
