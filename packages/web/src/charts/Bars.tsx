// Series as stacked bars over time, with the values of the hour or day under the pointer, and a description for screen
// readers. The height is fixed, so nothing moves while the page loads.
import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useId, useState } from 'react';
import { barsOf, highestSum, labelledTimes, lineOf, scaleOf, shareScaleOf } from './bar-layout.ts';
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

const AXIS_WIDTH = 60;
const AXIS_HEIGHT = 22;
const TOP = 6;
const RIGHT = 8;
const LABEL_WIDTH = 64;

export function Bars(props: BarsProps) {
  const { times, height, description } = props;
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const plot = { width: Math.max(0, width - AXIS_WIDTH - RIGHT), height: height - AXIS_HEIGHT - TOP };
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const at = (clientX - currentTarget.getBoundingClientRect().left - AXIS_WIDTH) / (plot.width / times.length);
    setPointed(at >= 0 && at < times.length ? Math.floor(at) : null);
  };
  return (
    <div
      ref={ref}
      className={classes.bars}
      style={{ height }}
      onPointerMove={point}
      onPointerLeave={() => setPointed(null)}
    >
      <svg role="img" aria-label={description} width={width} height={height}>
        {width > 0 && <Drawing {...props} plot={plot} pointed={pointed} />}
      </svg>
      {pointed !== null && <Values {...props} index={pointed} plot={plot} />}
    </div>
  );
}

type Plot = { readonly width: number; readonly height: number };

type DrawingProps = BarsProps & { plot: Plot; pointed: number | null };

function Drawing({ series, times, step, format, areShares = false, plot, pointed }: DrawingProps) {
  const id = useId();
  const scale = areShares
    ? shareScaleOf(lowestOf(series))
    : scaleOf(highestSum(times, series), plot.height < 180 ? 3 : 5);
  const [bottom, top] = [scale[0] ?? 0, scale.at(-1) ?? 1];
  const place = plot.width / Math.max(1, times.length);
  return (
    <g transform={`translate(${AXIS_WIDTH} ${TOP})`} className={classes.drawing}>
      <defs>
        {series.map((each, index) => (
          <FillPattern key={each.key} id={`${id}s${index}`} look={each} />
        ))}
      </defs>
      {scale.map((value) => {
        const y = plot.height * (1 - (value - bottom) / (top - bottom));
        return (
          <g key={value}>
            <line x2={plot.width} y1={y} y2={y} />
            <text x={-8} y={y} dy="0.35em" textAnchor="end">
              {format(value)}
            </text>
          </g>
        );
      })}
      {pointed !== null && <rect className={classes.pointed} x={pointed * place} width={place} height={plot.height} />}
      {areShares &&
        series.map((each) => (
          <path
            key={each.key}
            className={classes.line}
            d={lineOf(times, each, [bottom, top], plot)}
            stroke={colourOf(each)}
          />
        ))}
      {(areShares ? [] : barsOf(times, series, top, plot)).map((bar) => (
        <rect
          key={`${bar.x} ${bar.series}`}
          x={bar.x}
          y={bar.y}
          width={bar.width}
          height={bar.height}
          fill={`url(#${id}s${bar.series})`}
          stroke={colourOf(series[bar.series]!)}
        />
      ))}
      {labelledTimes(times.length, plot.width, LABEL_WIDTH).map((index) => (
        <text key={index} x={(index + 0.5) * place} y={plot.height + 16} textAnchor="middle">
          {formatTick(times[index] ?? '', step)}
        </text>
      ))}
    </g>
  );
}

/** The lowest percentage; 100 without any. */
function lowestOf(series: readonly Series[]): number {
  return Math.min(100, ...series.flatMap(({ values }) => [...values.values()]));
}

/** Next to the pointer, on the side with more space. */
function Values({ series, times, step, format, index, plot }: BarsProps & { index: number; plot: Plot }) {
  const at = times[index] ?? '';
  const x = AXIS_WIDTH + ((index + 0.5) * plot.width) / times.length;
  const side = index < times.length / 2 ? { left: x + 12 } : { right: AXIS_WIDTH + plot.width + RIGHT - x + 12 };
  return (
    <div className={classes.values} style={side} aria-hidden="true">
      <strong>{formatTime(at, step)}</strong>
      {series.map((each) => (
        <span key={each.key}>
          <Swatch look={each} /> {each.label}: {each.values.has(at) ? format(each.values.get(at) ?? 0) : '–'}
        </span>
      ))}
    </div>
  );
}
