// The fill of a series: a colour, and a pattern that sets it apart without colour.
import { useId } from 'react';
import classes from './Chart.module.css';
import type { Look } from './series.ts';

const TILE = 6;

/** Lines are drawn over a light background of the same colour. */
const PATTERNS = [
  { name: 'solid', opacity: 1, lines: '' },
  { name: 'stripes', opacity: 0.15, lines: 'M-1 5 5 -1M2 8 8 2' },
  { name: 'bars', opacity: 0.15, lines: 'M0 2H6M0 5H6' },
  { name: 'grid', opacity: 0.05, lines: 'M0 3H6M3 0V6' },
] as const;

export function colourOf({ colour }: Pick<Look, 'colour'>): string {
  return `var(--series-${colour})`;
}

/** Render it inside an svg, then fill shapes with `url(#id)`. */
export function FillPattern({ id, look }: { id: string; look: Look }) {
  const { opacity, lines } = PATTERNS[look.pattern % PATTERNS.length]!;
  return (
    <pattern id={id} width={TILE} height={TILE} patternUnits="userSpaceOnUse">
      <rect width={TILE} height={TILE} fill={colourOf(look)} fillOpacity={opacity} />
      {lines !== '' && <path d={lines} stroke={colourOf(look)} strokeWidth="1.8" fill="none" />}
    </pattern>
  );
}

/** Shown next to the name of a series. */
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
