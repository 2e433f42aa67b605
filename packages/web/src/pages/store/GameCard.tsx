// A game in a list: image, name, tagline, OS and launch health.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getShelf } from '@chauffeur/contract/operations/shelves';
import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Picture } from '../../ui/Picture.tsx';
import classes from './GameCard.module.css';
import { HealthLabel } from './HealthLabel.tsx';
import { listOsNames } from './platforms.ts';

/** Matches the widths of the grid and shelves in GameGrid.tsx. */
const SIZES = '(min-width: 62em) 17rem, (min-width: 36em) 50vw, 100vw';

export type CardGame = OutputOf<typeof getShelf>['games'][number];

export function GameCard({ game }: { game: CardGame }) {
  const image = game.thumbnail ?? game.cover;
  return (
    <article className={classes.card}>
      <Link to="/g/$uid" params={{ uid: game.slug }} className={classes.link}>
        {image === null ? (
          <div className={classes.noImage} />
        ) : (
          <Picture className={classes.image} picture={image} sizes={SIZES} alt="" lazy />
        )}
        <Text fw={600} mt="xs" lineClamp={1}>
          {game.name}
        </Text>
      </Link>
      <Text size="sm" lineClamp={2}>
        {game.tagline}
      </Text>
      <Group gap="xs" mt={4}>
        <Text size="xs" c="dimmed">
          {listOsNames(game.platforms).join(' · ')}
        </Text>
        <HealthLabel band={game.health} />
      </Group>
    </article>
  );
}
