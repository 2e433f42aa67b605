// The chunks that this process is receiving, so that a chunk whose sender has gone silent can be replaced by a retry.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { perContext } from '../../request/per-context.ts';

export type ChunkUnderWay = {
  /** Aborted when another chunk replaces this one. */
  readonly signal: AbortSignal;
  /** Reports that bytes have arrived. */
  progress(): void;
  /** Reports that no more bytes of the chunk will be stored. */
  end(): void;
};

type Entry = { lastByteAt: number; abort: AbortController; ended: Promise<void> };

/** A sender that reconnects replaces its old connection once that has been silent this long. */
const STALLED_MS = 3000;

/** Keys are the ids of sessions. */
const chunksOf = perContext(() => new Map<string, Entry>());

export function beginChunk(ctx: Context, sessionId: string): ChunkUnderWay {
  const chunks = chunksOf(ctx);
  const { promise, resolve } = Promise.withResolvers<void>();
  const entry: Entry = { lastByteAt: performance.now(), abort: new AbortController(), ended: promise };
  chunks.set(sessionId, entry);
  return {
    signal: entry.abort.signal,
    progress() {
      entry.lastByteAt = performance.now();
    },
    end() {
      if (chunks.get(sessionId) === entry) chunks.delete(sessionId);
      resolve();
    },
  };
}

/**
 * Ends the session's chunk if its sender has gone silent. Returns whether the chunk has ended and released the session.
 */
export async function endStalledChunk(ctx: Context, sessionId: string): Promise<boolean> {
  const entry = chunksOf(ctx).get(sessionId);
  if (entry === undefined || performance.now() - entry.lastByteAt < STALLED_MS) return false;
  entry.abort.abort(takenOver());
  await entry.ended;
  return true;
}

export function takenOver(): ApiError {
  return errors.chunkUnderWay(
    'Another request has taken over this session. Send the chunk again to get the current_size.',
  );
}
