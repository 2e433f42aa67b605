// Series as stacked bars over time, with the values of the hour or day under the pointer, and a description for screen
// readers. It is drawn in shares of its width, so it needs no measuring, fits paper too, and never moves the page.
import { Button } from '@mantine/core';
import { type PointerEvent, Suspense, useId, useState } from 'react';
import { lazyPart } from '../frame/load-code.ts';
import { barsOf, highestSum, lineOf, positionOf, scaleOf, shareScaleOf, ticksOf } from './bar-layout.ts';
import classes from './Chart.module.css';
import type { SeriesTableProps } from './SeriesTable.tsx';
import { type ChartStep, formatTick, formatTime, type Look, type Series } from './series.ts';

type BarsProps = {
  series: readonly Series[];
  times: readonly string[];
  step: ChartStep;
  height: number;
  /** What the chart shows, for screen readers. */
  description: string;
  format: (value: number) => string;
  /** Draws percentages as lines, on a scale that starts just below the lowest value. */
  areShares?: boolean;
  /** Draws the series as lines on a scale that starts at 0, over faint bars of this one, which have their own scale. */
  backdrop?: Series | undefined;
  formatBackdrop?: ((value: number) => string) | undefined;
};

/** How much of the height the highest bar of a backdrop takes. */
const BACKDROP_SHARE = 0.6;

/** The space for the labels of the times, and half a line of text at the top. */
const LABELS = 28;

export function Bars(props: BarsProps) {
  const { times, height, description } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * times.length);
    setPointed(index >= 0 && index < times.length ? index : null);
  };
  return (
    <div className={classes.bars} style={{ height }}>
      <div className={classes.plot} onPointerMove={point} onPointerLeave={() => setPointed(null)}>
        <svg role="img" aria-label={description} width="100%" height={height - LABELS}>
          <Drawing {...props} pointed={pointed} />
        </svg>
        {pointed !== null && <Values {...props} index={pointed} />}
      </div>
    </div>
  );
}

function Drawing({
  series,
  times,
  step,
  format,
  height,
  areShares = false,
  backdrop,
  pointed,
}: BarsProps & { pointed: number | null }) {
  const id = useId();
  const plot = height - LABELS;
  const areLines = areShares || backdrop !== undefined;
  const highest = areLines ? Math.max(...series.map((each) => highestSum(times, [each]))) : highestSum(times, series);
  const scale = areShares ? shareScaleOf(lowestOf(series)) : scaleOf(highest, plot < 180 ? 3 : 5);
  const [bottom, top] = [scale[0] ?? 0, scale.at(-1) ?? 1];
  return (
    <>
      <defs>
        {series.map((each, index) => (
          <FillPattern key={each.key} id={`${id}s${index}`} look={each} />
        ))}
      </defs>
      {scale.map((value) => {
        const y = plot * (1 - (value - bottom) / (top - bottom));
        return (
          <g key={value}>
            <line x2="100%" y1={y} y2={y} />
            <text x={-8} y={y} dy="0.35em" textAnchor="end">
              {format(value)}
            </text>
          </g>
        );
      })}
      {pointed !== null && (
        <rect
          className={classes.pointed}
          x={`${positionOf(pointed, times.length)}%`}
          width={`${100 / times.length}%`}
          height={plot}
        />
      )}
      {backdrop !== undefined &&
        barsOf(times, [backdrop], highestSum(times, [backdrop]) / BACKDROP_SHARE, plot).map((bar) => (
          <rect
            key={bar.x}
            className={classes.backdrop}
            x={`${bar.x}%`}
            y={bar.y}
            width={`${bar.width}%`}
            height={bar.height}
          />
        ))}
      {areLines ? (
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height={plot} aria-hidden="true">
          {series.map((each) => {
            const { path, dots } = lineOf(times, each, bottom, top);
            return (
              <g key={each.key} className={classes.line} stroke={colourOf(each)}>
                <path d={path} strokeDasharray={backdrop === undefined ? undefined : dashesOf(each)} />
                <path d={dots} className={classes.dots} />
              </g>
            );
          })}
        </svg>
      ) : (
        barsOf(times, series, top, plot).map((bar) => (
          <rect
            key={`${bar.x} ${bar.series}`}
            x={`${bar.x}%`}
            y={bar.y}
            width={`${bar.width}%`}
            height={bar.height}
            fill={`url(#${id}s${bar.series})`}
            stroke={colourOf(series[bar.series]!)}
          />
        ))
      )}
      {ticksOf(times.length).map(({ index, detail }) => (
        <text
          key={index}
          x={`${positionOf(index + 0.5, times.length)}%`}
          y={plot + 16}
          textAnchor="middle"
          data-detail={detail}
        >
          {formatTick(times[index] ?? '', step)}
        </text>
      ))}
    </>
  );
}

/** The lowest percentage; 100 if there are no values. */
function lowestOf(series: readonly Series[]): number {
  return Math.min(100, ...series.flatMap(({ values }) => [...values.values()]));
}

/** Shown next to the pointer, on the side with more space. */
function Values({ series, backdrop, times, step, format, formatBackdrop, index }: BarsProps & { index: number }) {
  const at = times[index] ?? '';
  const x = positionOf(index + 0.5, times.length);
  return (
    <div
      className={classes.values}
      style={{ [x < 50 ? 'left' : 'right']: `calc(${Math.min(x, 100 - x)}% + 12px)` }}
      aria-hidden="true"
    >
      <strong>{formatTime(at, step)}</strong>
      {series.map((each) => (
        <span key={each.key}>
          {backdrop === undefined ? <Swatch look={each} /> : <LineSwatch look={each} />} {each.label}:{' '}
          {each.values.has(at) ? format(each.values.get(at) ?? 0) : '–'}
        </span>
      ))}
      {backdrop !== undefined && (
        <span>
          <BackdropSwatch /> {backdrop.label}: {(formatBackdrop ?? format)(backdrop.values.get(at) ?? 0)}
        </span>
      )}
    </div>
  );
}

const TILE = 6;

/** Lines are drawn over a light background of the same colour. */
const PATTERNS = [
  { name: 'solid', opacity: 1, lines: '' },
  { name: 'stripes', opacity: 0.15, lines: 'M-1 5 5 -1M2 8 8 2' },
  { name: 'bars', opacity: 0.15, lines: 'M0 2H6M0 5H6' },
  { name: 'grid', opacity: 0.05, lines: 'M0 3H6M3 0V6' },
] as const;

/** The fill of a series: a colour, and a pattern that sets it apart without colour. */
function colourOf({ colour }: Pick<Look, 'colour'>): string {
  return `var(--series-${colour})`;
}

/** Render it inside an svg, then fill shapes with `url(#id)`. */
function FillPattern({ id, look }: { id: string; look: Look }) {
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

/** The dashes that set the lines of a chart apart without colour. The first is solid. */
const DASHES = [undefined, '9 6', '2 6', '14 5 2 5'] as const;

function dashesOf({ pattern }: Pick<Look, 'pattern'>): string | undefined {
  return DASHES[pattern % DASHES.length];
}

/** Shown next to the name of a series that is a line. */
export function LineSwatch({ look }: { look: Look }) {
  return (
    <svg className={classes.swatch} width="28" height="14" aria-hidden="true">
      <line
        className={classes.line}
        x1="1"
        x2="27"
        y1="7"
        y2="7"
        stroke={colourOf(look)}
        strokeDasharray={dashesOf(look)}
      />
    </svg>
  );
}

/** Shown next to the name of a backdrop. */
export function BackdropSwatch() {
  return (
    <svg className={classes.swatch} width="14" height="14" aria-hidden="true">
      <rect className={classes.backdrop} width="14" height="14" rx="2" />
    </svg>
  );
}

const SeriesTable = lazyPart(async () => (await import('./SeriesTable.tsx')).SeriesTable);

/** The table of a chart, whose code is loaded when someone opens it, and the button that shows it. */
export function LazySeriesTable(props: SeriesTableProps) {
  return (
    <Suspense fallback={null}>
      <SeriesTable {...props} />
    </Suspense>
  );
}

/** Shows or hides the values of a chart as a table, for people who cannot point at its bars or see them. */
export function TableButton({ isShown, onChange }: { isShown: boolean; onChange: (isShown: boolean) => void }) {
  return (
    <Button size="xs" variant="default" aria-expanded={isShown} onClick={() => onChange(!isShown)}>
      {isShown ? 'Hide table' : 'Show as table'}
    </Button>
  );
}
