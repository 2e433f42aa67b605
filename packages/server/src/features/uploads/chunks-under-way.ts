// The chunks that this process is receiving, so that one whose sender has fallen silent can make way for the next try.
import { ApiError } from '@chauffeur/contract/errors';

export type ChunkUnderWay = {
  /** Aborted when another chunk takes this one's place. */
  readonly signal: AbortSignal;
  /** Tells that bytes have arrived. */
  progress(): void;
  /** Tells that nothing more of the chunk will be stored. */
  end(): void;
};

type Entry = { lastByteAt: number; abort: AbortController; ended: Promise<void> };

/** A sender that comes back on a new connection is believed after the old one was silent for this long. */
const STALLED_MS = 3000;

const chunks = new Map<string, Entry>();

export function beginChunk(sessionId: string): ChunkUnderWay {
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

/** Ends the session's chunk when its sender has been silent; true when it has ended and what it held is free. */
export async function endStalledChunk(sessionId: string): Promise<boolean> {
  const entry = chunks.get(sessionId);
  if (entry === undefined || performance.now() - entry.lastByteAt < STALLED_MS) return false;
  entry.abort.abort(takenOver());
  await entry.ended;
  return true;
}

export function takenOver(): ApiError {
  return new ApiError(
    4047,
    'Another request has taken this session over; send the chunk again to learn its current_size.',
  );
}
