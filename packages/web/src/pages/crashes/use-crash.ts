// Loads a report and its stack, and follows changes: its dump may still be processing, and symbols may arrive later.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getCrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { getCrash } from '@chauffeur/contract/operations/crashes';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';

export type Crash = OutputOf<typeof getCrash>;

const POLL_MS = 5000;

/** While `isPaused`, changes are not followed. */
export function useCrash(gameUid: string, crashId: string | null, isPaused = false) {
  const pollMs = useLiveInterval(POLL_MS);
  return useQuery({
    ...ask(getCrash, { uid: gameUid, crash_id: crashId ?? '' }),
    enabled: crashId !== null && !isPaused,
    // A deleted report never comes back.
    refetchInterval: ({ state }) => (state.status === 'error' ? false : pollMs),
    meta: follow('crashes'),
  });
}

/**
 * Reloads the stack each time the dump is processed, and shows the previous stack until then. Waits while `crash` is
 * undefined.
 */
export function useStack(gameUid: string, crash: Crash | undefined) {
  const input = { uid: gameUid, crash_id: crash?.crash_id ?? '' };
  return useQuery({
    queryKey: [getCrashStack.id, input, crash?.processed_at],
    queryFn: ({ signal }) => call(getCrashStack, input, signal),
    enabled: crash?.available.includes('stack') ?? false,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
