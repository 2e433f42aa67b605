// How a series is filled: a colour, and a pattern that tells it from the others of its chart without colour.
import { useId } from 'react';
import classes from './Chart.module.css';
import type { Look } from './series.ts';

const TILE = 6;

/** Drawn over a light ground of the same colour. */
const PATTERNS = [
  { name: 'solid', ground: 1, lines: '' },
  { name: 'stripes', ground: 0.15, lines: 'M-1 5 5 -1M2 8 8 2' },
  { name: 'bars', ground: 0.15, lines: 'M0 2H6M0 5H6' },
  { name: 'grid', ground: 0.05, lines: 'M0 3H6M3 0V6' },
] as const;

export function colourOf({ colour }: Pick<Look, 'colour'>): string {
  return `var(--series-${colour})`;
}

/** To be rendered inside an svg; what is filled with `url(#id)` has the look then. */
export function FillPattern({ id, look }: { id: string; look: Look }) {
  const { ground, lines } = PATTERNS[look.pattern % PATTERNS.length]!;
  return (
    <pattern id={id} width={TILE} height={TILE} patternUnits="userSpaceOnUse">
      <rect width={TILE} height={TILE} fill={colourOf(look)} fillOpacity={ground} />
      {lines !== '' && <path d={lines} stroke={colourOf(look)} strokeWidth="1.8" fill="none" />}
    </pattern>
  );
}

/** Beside the name of a series. */
export function Swatch({ look }: { look: Look }) {
  const id = useId();
  return (
    <svg className={classes.swatch} width="14" height="14" aria-hidden="true">
      <FillPattern id={id} look={look} />
      <rect
        x="0.5"
        y="0.5"
        width="13"
        height="13"
        rx="2"
        fill={`url(#${id})`}
        stroke={colourOf(look)}
        strokeWidth="1"
      />
    </svg>
  );
}
