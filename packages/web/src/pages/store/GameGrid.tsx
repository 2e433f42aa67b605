// Game cards in a grid or on a shelf, and placeholders while they load.
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

/** One row that scrolls sideways if it is wider than the page. */
export function GameShelf({ games }: { games: readonly CardGame[] }) {
  return (
    <div className={classes.shelf}>
      {games.map((game) => (
        <GameCard key={game.game_uid} game={game} />
      ))}
    </div>
  );
}

const PLACEHOLDERS = ['a', 'b', 'c', 'd'];

export function LoadingGrid() {
  return (
    <SimpleGrid cols={COLUMNS} role="status" aria-busy="true" aria-label="Loading games">
      {PLACEHOLDERS.map((key) => (
        <LoadingCard key={key} />
      ))}
    </SimpleGrid>
  );
}

export function LoadingShelf() {
  return (
    <div className={classes.shelf} role="status" aria-busy="true" aria-label="Loading games">
      {PLACEHOLDERS.map((key) => (
        <LoadingCard key={key} />
      ))}
    </div>
  );
}

function LoadingCard() {
  return (
    <div>
      <Skeleton style={{ aspectRatio: '16 / 9' }} />
      <Skeleton h={18} w="70%" mt="xs" />
      <Skeleton h={14} mt={6} />
    </div>
  );
}
