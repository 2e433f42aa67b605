// Shows the lines of C# for functions that IL2CPP translated to C++, if the line mappings of the build were uploaded. They
// don't matter for grouping, which goes by functions, so they are looked up when a stack is shown.
//
// A dump has frames of C++. Sentry's SDK for Unity sends exceptions of C# with the names of methods, but instead of lines
// it has the address of each call in the program.
import type { Frame, Report } from '@chauffeur/minidump/report';
import type { SourcePlace } from '@chauffeur/minidump/symbols/module-symbols';
import type { SentryFrame, Stack, StoredEvent } from '@chauffeur/sentry/event/event';
import { languageOf } from '@chauffeur/sentry/grouping';
import { ImageMap, nativeFrames } from '@chauffeur/sentry/native-stack';
import type { Context } from '../../../context.ts';
import { findLineMappings, markUsed } from '../../symbols/mappings/mappings.sql.ts';
import { resolveLines } from '../../symbols/mappings/resolve.ts';
import { moduleIdOf } from '../process/event-stack.ts';
import { type AddressedPlace, findCode, SymbolResolver } from '../process/walk.ts';

type Placed = { readonly file: string | null; readonly line: number | null };
type Origin = {
  readonly gameId: string;
  readonly buildId: string;
  /** Those of the modules. They are read only if there is a line to look up. */
  readonly debugIds: () => readonly string[] | Promise<readonly string[]>;
};

/** Lines that are looked up for one page. */
const MAX_LINES = 2000;
const GENERATED = /\.(?:cpp|h)$/i;

/** The frames, with the places in C# where there are some. */
export async function withCsharpLines<T extends Placed>(
  ctx: Context,
  { gameId, buildId, debugIds }: Origin,
  frames: readonly T[],
): Promise<readonly T[]> {
  const generated = new Map<string, { file: string; line: number }>();
  for (const { file, line } of frames) {
    if (generated.size >= MAX_LINES) break;
    if (file !== null && line !== null && GENERATED.test(file)) generated.set(`${file}:${line}`, { file, line });
  }
  if (generated.size === 0) return frames;
  const places = [...generated.values()];
  const [mapping] = await findLineMappings(ctx.db, gameId, { buildId, debugIds: await debugIds() });
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
  const debugIds = () => debugIdsOf(report);
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

export function debugIdsOf({ modules }: Report): string[] {
  return modules.map(({ debug_id: id }) => id).filter(Boolean);
}

/** Frames of an event that are looked up. */
const MAX_EVENT_FRAMES = 500;

type Lookup = AddressedPlace & { readonly frame: SentryFrame; readonly debugId: string };

/** The event with the places of C# frames that have addresses instead. `missing` has modules without symbols. */
export async function eventWithCsharpLines(
  ctx: Context,
  { gameId, buildId }: Omit<Origin, 'debugIds'>,
  event: StoredEvent,
): Promise<{ readonly event: StoredEvent; readonly missing: readonly string[] }> {
  const lookups = lookupsOf(event);
  if (lookups.length === 0) return { event, missing: [] };
  const { code, missing } = await findCode(ctx, lookups, new SymbolResolver(ctx, gameId, buildId));
  const placed = lookups.map(({ frame }, index) => placedFrame(frame, code[index] ?? null));
  const debugIds = [...new Set(lookups.map(({ debugId }) => debugId).filter(Boolean))];
  const mapped = await withCsharpLines(ctx, { gameId, buildId, debugIds: () => debugIds }, placed);
  const byFrame = new Map(lookups.map(({ frame }, index) => [frame, mapped[index]!] as const));
  return { event: withFrames(event, (frame) => byFrame.get(frame) ?? frame), missing };
}

function lookupsOf(event: StoredEvent): Lookup[] {
  const images = new ImageMap(event.images);
  const stacks = [...event.exceptions, ...event.threads].map(({ stack }) => stack);
  return stacks
    .flatMap((stack) => nativeFrames(stack, images, { isCrashed: false }))
    .flatMap(({ frame, image, offset }) => {
      const isUnplaced = frame.line === null && languageOf(frame, event) === 'csharp';
      if (!isUnplaced || image === null || offset === null || offset > MAX_OFFSET) return [];
      return [{ frame, module: moduleIdOf(image), debugId: image.debugId ?? '', offset: Number(offset) }];
    })
    .slice(0, MAX_EVENT_FRAMES);
}

const MAX_OFFSET = BigInt(Number.MAX_SAFE_INTEGER);

/** The frame at the place in C++. Of functions that were inlined there, the one with the name of the method counts. */
function placedFrame(frame: SentryFrame, code: readonly SourcePlace[] | null): SentryFrame {
  const method = frame.function.replace(/\(.*$/s, '').replace(/^.*[.:+]/s, '');
  const named = method === '' ? undefined : code?.find(({ function: name }) => name.includes(`_${method}_m`));
  const place = named ?? code?.at(-1);
  if (place === undefined) return frame;
  const { file = '', line = null } = place;
  return { ...frame, function: frame.function || place.function, file, path: '', line };
}

function withFrames(event: StoredEvent, change: (frame: SentryFrame) => SentryFrame): StoredEvent {
  const changed = <T extends { readonly stack: Stack }>(each: T): T => ({
    ...each,
    stack: { ...each.stack, frames: each.stack.frames.map(change) },
  });
  return { ...event, exceptions: event.exceptions.map(changed), threads: event.threads.map(changed) };
}
