// Adds the lines of the sources around the frames of a script's stack that a report has as text, as an event of Sentry's
// SDKs has them. They are read from the source maps when the stack is shown, because that is rare.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import type { Context } from '../../../context.ts';
import { readTrace, type TracedReport } from '../process/prepare-grouping.ts';
import { javascript } from '../text/formats/javascript.ts';
import type { Trace, TraceFrame } from '../text/trace.ts';
import { EVENT_LIMITS, sourceOf } from './event.ts';

type Frames = CrashStack['related'][number]['frames'];
type Source = NonNullable<Frames[number]['source']>;
type Placed = Pick<TraceFrame, 'file' | 'line' | 'column'>;

/** The lines around frames of the report, as many as an event may have; null for those without any. */
export async function textSourcesOf(
  ctx: Context,
  gameId: string,
  report: TracedReport & { readonly trace: Trace | null },
): Promise<(frame: Placed) => Source | null> {
  if (report.trace?.format !== javascript.name) return () => null;
  const { sources } = await readTrace(ctx, gameId, report);
  let left: number = EVENT_LIMITS.sources;
  return (frame) => {
    const lines = left === 0 ? undefined : sources?.linesOf(frame);
    if (lines == null) return null;
    left -= 1;
    return sourceOf({ source: lines, line: frame.line });
  };
}

/** The stack with the lines of its frames, those of the main exception first. */
export async function withTextSources(
  ctx: Context,
  found: TracedReport & { readonly game_id: string; readonly trace: Trace | null },
  stack: CrashStack,
): Promise<CrashStack> {
  const { crashed, related } = stack;
  if (crashed === null) return stack;
  const linesOf = await textSourcesOf(ctx, found.game_id, found);
  const withLines = (frames: Frames): Frames =>
    frames.map((frame) => {
      const source = linesOf({ ...frame, column: frame.column ?? null });
      return source === null ? frame : { ...frame, source };
    });
  return {
    ...stack,
    crashed: { ...crashed, frames: withLines(crashed.frames) },
    related: related.map((each) => ({ ...each, frames: withLines(each.frames) })),
  };
}
