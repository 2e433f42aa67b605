// Cards of games side by side, in a grid or on a shelf, or the shape of them while they are on their way.
import { SimpleGrid, Skeleton } from '@mantine/core';
import { type CardGame, GameCard } from './GameCard.tsx';
import classes from './GameGrid.module.css';

const COLUMNS = { base: 1, xs: 2, md: 4 };

export function GameGrid({ games }: { games: readonly CardGame[] }) {
  return (
    <SimpleGrid cols={COLUMNS} verticalSpacing="lg">
      {games.map((game) => (
        <GameCard key={game.game_uid} game={game} />
      ))}
    </SimpleGrid>
  );
}

/** In one row, which is scrolled sideways where it is longer than the page is wide. */
export function GameShelf({ games }: { games: readonly CardGame[] }) {
  return (
    <div className={classes.shelf}>
      {games.map((game) => (
        <GameCard key={game.game_uid} game={game} />
      ))}
    </div>
  );
}

const PLACES = ['a', 'b', 'c', 'd'];

export function WaitingGrid() {
  return (
    <SimpleGrid cols={COLUMNS} role="status" aria-busy="true" aria-label="Loading games">
      {PLACES.map((place) => (
        <WaitingCard key={place} />
      ))}
    </SimpleGrid>
  );
}

export function WaitingShelf() {
  return (
    <div className={classes.shelf} role="status" aria-busy="true" aria-label="Loading games">
      {PLACES.map((place) => (
        <WaitingCard key={place} />
      ))}
    </div>
  );
}

function WaitingCard() {
  return (
    <div>
      <Skeleton style={{ aspectRatio: '16 / 9' }} />
      <Skeleton h={18} w="70%" mt="xs" />
      <Skeleton h={14} mt={6} />
    </div>
  );
}
