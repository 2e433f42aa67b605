// Tells how far a long step is: as a bar on a terminal, as a line now and then in a log.
import { type Options, Presets, SingleBar } from 'cli-progress';
import { type Output, sizeText } from './output.ts';

export type Progress = {
  /** Bytes done and in all. */
  update(done: number, total: number): void;
  /** Ends the bar, so that the next line starts fresh. */
  finish(): void;
};

const LINE_EVERY_PERCENT = 10;
const LINE_EVERY_MS = 10_000;
const LINE_AT_MOST_EVERY_MS = 1_000;
const BAR_WIDTH = 28;

/** Progress of the step `label`, on the output's stderr; nothing with --quiet. `CI` in the environment means a log. */
export function startProgress(
  label: string,
  output: Output,
  env: Readonly<Record<string, string | undefined>>,
): Progress {
  if (output.quiet) return { update: () => {}, finish: () => {} };
  return output.stderr.isTTY === true && !env.CI ? barOf(label) : linesOf(label, (line) => output.note(line), Date.now);
}

function barOf(label: string): Progress {
  const rate = rateFrom(Date.now);
  const bar = new SingleBar(
    {
      stream: process.stderr,
      hideCursor: true,
      gracefulExit: false,
      format: (_: Options, params: { value: number; total: number }) => {
        const filled = Math.round((BAR_WIDTH * params.value) / Math.max(params.total, 1));
        const drawn = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
        return `${label} ${drawn} ${progressText(params.value, params.total, rate(params.value))}`;
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

/** Exported for its test, which turns the clock. */
export function linesOf(label: string, note: (line: string) => void, now: () => number): Progress {
  const rate = rateFrom(now);
  let told = { percent: 0, at: now() };
  return {
    update(done, total) {
      const bytesPerSecond = rate(done);
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      const quiet = now() - told.at;
      const hasMoved = Math.abs(percent - told.percent) >= LINE_EVERY_PERCENT && quiet >= LINE_AT_MOST_EVERY_MS;
      const isDone = percent === 100 && told.percent < 100;
      if (!hasMoved && !isDone && quiet < LINE_EVERY_MS) return;
      told = { percent, at: now() };
      note(`${label}: ${progressText(done, total, bytesPerSecond)}`);
    },
    finish: () => {},
  };
}

/** Bytes a second since the first value, which may be that of a resumed upload. */
function rateFrom(now: () => number): (done: number) => number {
  let first: { at: number; done: number } | undefined;
  return (done) => {
    first ??= { at: now(), done };
    const seconds = (now() - first.at) / 1000;
    return seconds > 0 ? Math.max(0, done - first.done) / seconds : 0;
  };
}

/** `40% (107.0 MiB of 267.0 MiB, 12.1 MiB/s, 13 s left)` */
function progressText(done: number, total: number, bytesPerSecond: number): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  const left = bytesPerSecond > 0 && done < total ? `, ${durationText((total - done) / bytesPerSecond)} left` : '';
  const speed = bytesPerSecond > 0 ? `, ${sizeText(Math.round(bytesPerSecond))}/s` : '';
  return `${percent}% (${sizeText(done)} of ${sizeText(total)}${speed}${left})`;
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
