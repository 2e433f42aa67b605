// A small picture of a game next to its name: its thumbnail or cover, or its initial on a colour made from its id.
import { useState } from 'react';
import { hashText } from '../charts/colours.ts';
import classes from './GameTile.module.css';

type GameTileProps = {
  game: { readonly game_uid: string; readonly name: string; readonly picture: string | null };
  /** `wide` has the proportions of a thumbnail. */
  shape?: 'square' | 'wide';
  /** The height in pixels. */
  height: number;
};

export function GameTile({ game, shape = 'square', height }: GameTileProps) {
  const [broken, setBroken] = useState<string | null>(null);
  const { picture } = game;
  const width = shape === 'wide' ? Math.round((height * 16) / 9) : height;
  const hue = hashText(game.game_uid) % 360;
  const hasPicture = picture !== null && picture !== broken;
  return (
    <span
      className={classes.tile}
      style={{
        width,
        height,
        fontSize: Math.round(height * 0.48),
        backgroundImage: `linear-gradient(150deg, oklch(52% 0.1 ${hue}), oklch(36% 0.09 ${hue + 40}))`,
      }}
      data-initial={hasPicture ? undefined : initialOf(game.name)}
      aria-hidden="true"
    >
      {hasPicture && (
        <img
          src={picture}
          alt=""
          width={width}
          height={height}
          loading="lazy"
          decoding="async"
          onError={() => setBroken(picture)}
        />
      )}
    </span>
  );
}

/** The first letter or digit: `“Owls”` has an O. */
function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toLocaleUpperCase('en');
}
