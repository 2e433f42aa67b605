// Series as stacked bars over time, with the values of the hour or day under the pointer, and a description for screen
// readers. It is drawn in shares of its width, so it needs no measuring, fits paper too, and never moves the page.
import { type PointerEvent, useId, useState } from 'react';
import { barsOf, highestSum, lineOf, placeOf, scaleOf, shareScaleOf, ticksOf } from './bar-layout.ts';
import classes from './Chart.module.css';
import { colourOf, FillPattern, Swatch } from './Fill.tsx';
import { formatTick, formatTime } from './format-time.ts';
import type { Series, Step } from './series.ts';

type BarsProps = {
  series: readonly Series[];
  times: readonly string[];
  step: Step;
  height: number;
  /** What the chart shows, for screen readers. */
  description: string;
  format: (value: number) => string;
  /** Draws percentages as lines, on a scale that starts just below the lowest one. */
  areShares?: boolean;
};

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
  pointed,
}: BarsProps & { pointed: number | null }) {
  const id = useId();
  const plot = height - LABELS;
  const scale = areShares ? shareScaleOf(lowestOf(series)) : scaleOf(highestSum(times, series), plot < 180 ? 3 : 5);
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
          x={`${placeOf(pointed, times.length)}%`}
          width={`${100 / times.length}%`}
          height={plot}
        />
      )}
      {areShares ? (
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height={plot} aria-hidden="true">
          {series.map((each) => {
            const { path, dots } = lineOf(times, each, bottom, top);
            return (
              <g key={each.key} className={classes.line} stroke={colourOf(each)}>
                <path d={path} />
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
          x={`${placeOf(index + 0.5, times.length)}%`}
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

/** The lowest percentage; 100 without any. */
function lowestOf(series: readonly Series[]): number {
  return Math.min(100, ...series.flatMap(({ values }) => [...values.values()]));
}

/** Next to the pointer, on the side with more space. */
function Values({ series, times, step, format, index }: BarsProps & { index: number }) {
  const at = times[index] ?? '';
  const x = placeOf(index + 0.5, times.length);
  return (
    <div
      className={classes.values}
      style={{ [x < 50 ? 'left' : 'right']: `calc(${Math.min(x, 100 - x)}% + 12px)` }}
      aria-hidden="true"
    >
      <strong>{formatTime(at, step)}</strong>
      {series.map((each) => (
        <span key={each.key}>
          <Swatch look={each} /> {each.label}: {each.values.has(at) ? format(each.values.get(at) ?? 0) : '–'}
        </span>
      ))}
    </div>
  );
}
