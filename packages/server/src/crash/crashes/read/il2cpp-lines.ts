// Shows the lines of C# for functions that IL2CPP translated to C++, if the line mappings of the build were uploaded. They
// don't matter for grouping, which goes by functions, so they are looked up when a stack is shown.
import type { Frame, Report } from '@chauffeur/minidump/report';
import type { Context } from '../../../context.ts';
import { findLineMappings, markUsed } from '../../symbols/mappings/mappings.sql.ts';
import { resolveLines } from '../../symbols/mappings/resolve.ts';

type Placed = { readonly file: string | null; readonly line: number | null };
type Origin = { readonly gameId: string; readonly buildId: string; readonly debugIds: readonly string[] };

/** Frames whose lines are looked up for one page. */
const MAX_FRAMES = 2000;
const GENERATED = /\.(?:cpp|h)$/i;

/** The frames, with the places in C# where there are some. */
export async function withCsharpLines<T extends Placed>(
  ctx: Context,
  { gameId, buildId, debugIds }: Origin,
  frames: readonly T[],
): Promise<readonly T[]> {
  const places = frames
    .slice(0, MAX_FRAMES)
    .flatMap(({ file, line }) => (file === null || line === null || !GENERATED.test(file) ? [] : [{ file, line }]));
  if (places.length === 0) return frames;
  const [mapping] = await findLineMappings(ctx.db, gameId, { buildId, debugIds });
  if (mapping === undefined) return frames;
  if (!mapping.is_used_today) await markUsed(ctx.db, gameId, [mapping.mapping_uid]);
  const found = await resolveLines(ctx, mapping, places);
  const byPlace = new Map(places.map(({ file, line }, index) => [`${file}:${line}`, found[index]]));
  return frames.map((frame) => {
    const place = byPlace.get(`${frame.file}:${frame.line}`);
    return place == null ? frame : { ...frame, file: place.file.slice(-500), line: place.line };
  });
}

/** The report with the places in C# in all its stacks. */
export async function reportWithCsharpLines(
  ctx: Context,
  origin: Omit<Origin, 'debugIds'>,
  report: Report,
): Promise<Report> {
  const debugIds = report.modules.map(({ debug_id: id }) => id).filter(Boolean);
  const all = report.threads.flatMap(({ frames }) => frames.flatMap((frame) => [frame, ...frame.inlines]));
  const placed = await withCsharpLines(ctx, { ...origin, debugIds }, all as readonly Placed[]);
  if (placed === all) return report;
  const left = placed.values();
  const next = (frame: Placed) => {
    const { file, line } = left.next().value ?? frame;
    return { file, line };
  };
  const threads = report.threads.map((thread) => ({
    ...thread,
    frames: thread.frames.map(
      (frame): Frame => ({
        ...frame,
        ...next(frame),
        inlines: frame.inlines.map((inline) => ({ ...inline, ...next(inline) })),
      }),
    ),
  }));
  return { ...report, threads };
}
