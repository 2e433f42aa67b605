// Adds the lines of the sources around the frames of a script's stack that a report has as text, as an event of Sentry's
// SDKs has them. They are read from the source maps when the stack is shown, because that is rare.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import type { Context } from '../../../context.ts';
import { resolveTextTrace } from '../process/resolve-trace.ts';
import { javascript } from '../text/formats/javascript.ts';
import { EVENT_LIMITS, sourceOf } from './event.ts';
import type { FoundFiles } from './report.ts';

type Frames = CrashStack['related'][number]['frames'];

/** The stack with the lines of as many frames as an event may have, those of the main exception first. */
export async function withTextSources(ctx: Context, found: FoundFiles, stack: CrashStack): Promise<CrashStack> {
  const { crashed, related } = stack;
  const isOfText = found.event === null && found.event_key === null && stack.format === javascript.name;
  if (!isOfText || crashed === null) return stack;
  const { sources } = await resolveTextTrace(ctx, found.game_id, found);
  let left: number = EVENT_LIMITS.sources;
  const withLines = (frames: Frames): Frames =>
    frames.map((frame) => {
      const lines = left === 0 ? null : sources.linesOf({ ...frame, column: frame.column ?? null });
      if (lines === null) return frame;
      left -= 1;
      return { ...frame, source: sourceOf({ source: lines, line: frame.line }) };
    });
  return {
    ...stack,
    crashed: { ...crashed, frames: withLines(crashed.frames) },
    related: related.map((each) => ({ ...each, frames: withLines(each.frames) })),
  };
}
