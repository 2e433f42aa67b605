// Looks up the frames of WebAssembly in the event of a page, with the symbols of its modules. Between them are frames of
// JavaScript, so such an event is not walked like a native one.
import type { SourcePlace } from '@chauffeur/minidump/symbols/module-symbols';
import type { SentryFrame, Stack, StoredEvent } from '@chauffeur/sentry/event/event';
import { ImageMap, nativeFrames } from '@chauffeur/sentry/native-stack';
import type { Context } from '../../../context.ts';
import { moduleIdOf } from './event-stack.ts';
import { type AddressedPlace, findCode, SymbolResolver } from './walk.ts';

/** Frames that are looked up. */
const MAX_FRAMES = 2000;
const MAX_OFFSET = BigInt(Number.MAX_SAFE_INTEGER);

type Lookup = AddressedPlace & { readonly frame: SentryFrame };
type Looked = { readonly event: StoredEvent; readonly missing: readonly string[] };

/** The event with the functions and lines of its frames, also of inlined ones. `missing` has modules without symbols. */
export async function resolveWasm(
  ctx: Context,
  { gameId, buildId }: { readonly gameId: string; readonly buildId: string },
  event: StoredEvent,
): Promise<Looked> {
  if (!event.images.some(({ type }) => type === 'wasm')) return { event, missing: [] };
  const lookups = lookupsOf(event);
  if (lookups.length === 0) return { event, missing: [] };
  const { code, missing } = await findCode(ctx, lookups, new SymbolResolver(ctx, gameId, buildId));
  const found = new Map(lookups.map(({ frame }, index) => [frame, code[index] ?? null] as const));
  const changed = <T extends { readonly stack: Stack }>(each: T): T => ({
    ...each,
    stack: { ...each.stack, frames: each.stack.frames.flatMap((frame) => framesAt(frame, found.get(frame) ?? null)) },
  });
  const resolved = {
    ...event,
    exceptions: event.exceptions.map(changed),
    threads: event.threads.map(changed),
  };
  return { event: resolved, missing };
}

function lookupsOf(event: StoredEvent): Lookup[] {
  const images = new ImageMap(event.images);
  return [...event.exceptions, ...event.threads]
    .flatMap(({ stack }) => nativeFrames(stack, images, { isCrashed: false }))
    .flatMap(({ frame, image, offset }) =>
      image?.type !== 'wasm' || offset === null || offset > MAX_OFFSET
        ? []
        : [{ frame, module: moduleIdOf(image), offset: Number(offset) }],
    )
    .slice(0, MAX_FRAMES);
}

/** The innermost function first. */
function framesAt(frame: SentryFrame, code: readonly SourcePlace[] | null): SentryFrame[] {
  if (code === null) return [frame];
  return code.map(({ function: name, file = '', line = null }) => ({
    ...frame,
    function: name,
    file,
    path: '',
    line,
    column: null,
  }));
}
