// Loads the threads of a report: their list, and one thread whole. Both load again when the dump is processed again.
import { LIMITS } from '@chauffeur/contract/limits';
import { getCrashThread, listCrashThreads, type ThreadDetail } from '@chauffeur/contract/operations/crash-threads';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import type { Crash } from './use-crash.ts';

export function useThreads(gameUid: string, { crash_id, processed_at }: Crash) {
  const input = { uid: gameUid, crash_id };
  return useQuery({
    queryKey: [listCrashThreads.id, input, processed_at],
    queryFn: ({ signal }) => call(listCrashThreads, input, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Frames that are loaded at once. */
const FRAMES = 200;

/** The first page has the registers and the memory; further pages only add frames. */
export function useThread(gameUid: string, { crash_id, processed_at }: Crash, thread: number) {
  const input = { uid: gameUid, crash_id, thread: String(thread) };
  return useInfiniteQuery({
    queryKey: [getCrashThread.id, input, processed_at],
    queryFn: ({ pageParam: first, signal }) =>
      call(
        getCrashThread,
        { ...input, frames: FRAMES, ...(first === 0 ? { words: LIMITS.threadWords } : { first_frame: first }) },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: ({ first_frame, frames, more_frames }: ThreadDetail) =>
      more_frames > 0 ? first_frame + frames.length : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
