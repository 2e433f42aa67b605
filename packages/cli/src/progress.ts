// Shows the progress of a long step: a bar on a terminal, occasional lines in a log.
import { formatBytes, formatDuration } from '@chauffeur/contract/format';
import { type Options, Presets, SingleBar } from 'cli-progress';
import type { Output } from './output.ts';

export type Progress = {
  /** Bytes done, and bytes in total. */
  update(done: number, total: number): void;
  /** Ends the bar. The next output starts on a new line. */
  finish(): void;
};

const LINE_EVERY_PERCENT = 10;
const MAX_LINE_INTERVAL_MS = 10_000;
const MIN_LINE_INTERVAL_MS = 1_000;
const BAR_WIDTH = 28;

/** Shows the step `label` on stderr, or nothing with --quiet. With `CI` in the environment, stderr is treated as a log. */
export function startProgress(
  label: string,
  output: Output,
  env: Readonly<Record<string, string | undefined>>,
): Progress {
  if (output.quiet) return { update: () => {}, finish: () => {} };
  return output.stderr.isTTY === true && !env.CI
    ? createBar(label)
    : createLines(label, (line) => output.note(line), Date.now);
}

function createBar(label: string): Progress {
  const rate = trackRate(Date.now);
  const bar = new SingleBar(
    {
      stream: process.stderr,
      hideCursor: true,
      gracefulExit: false,
      format: (_: Options, params: { value: number; total: number }) => {
        const filled = Math.round((BAR_WIDTH * params.value) / Math.max(params.total, 1));
        const drawn = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
        return `${label} ${drawn} ${formatProgress(params.value, params.total, rate(params.value))}`;
      },
    },
    Presets.shades_classic,
  );
  return {
    update(done, total) {
      if (bar.isActive) bar.update(done);
      else bar.start(total, done);
    },
    finish: () => bar.stop(),
  };
}

/** Writes lines with `note`. Exported for its test, which controls the clock. */
export function createLines(label: string, note: (line: string) => void, now: () => number): Progress {
  const rate = trackRate(now);
  let lastLine = { percent: 0, at: now() };
  return {
    update(done, total) {
      const bytesPerSecond = rate(done);
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      const sinceLastLine = now() - lastLine.at;
      const hasMoved =
        Math.abs(percent - lastLine.percent) >= LINE_EVERY_PERCENT && sinceLastLine >= MIN_LINE_INTERVAL_MS;
      const isDone = percent === 100 && lastLine.percent < 100;
      if (!hasMoved && !isDone && sinceLastLine < MAX_LINE_INTERVAL_MS) return;
      lastLine = { percent, at: now() };
      note(`${label}: ${formatProgress(done, total, bytesPerSecond)}`);
    },
    finish: () => {},
  };
}

/** Measures bytes per second from the first value on, which is not 0 when an upload is resumed. */
function trackRate(now: () => number): (done: number) => number {
  let first: { at: number; done: number } | undefined;
  return (done) => {
    first ??= { at: now(), done };
    const seconds = (now() - first.at) / 1000;
    return seconds > 0 ? Math.max(0, done - first.done) / seconds : 0;
  };
}

/** `40% (107 MiB of 267 MiB, 12.1 MiB/s, 13 s left)` */
function formatProgress(done: number, total: number, bytesPerSecond: number): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  const amount = `${formatBytes(done)} of ${formatBytes(total)}`;
  if (bytesPerSecond <= 0) return `${percent}% (${amount})`;
  const speed = `${formatBytes(Math.round(bytesPerSecond))}/s`;
  if (done >= total) return `${percent}% (${amount}, ${speed})`;
  return `${percent}% (${amount}, ${speed}, ${formatDuration(Math.ceil((total - done) / bytesPerSecond))} left)`;
}
