// Loads a report, its stack and where its source code is. It follows changes, because the dump may still be processing
// and symbols may arrive later.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getCrash } from '@chauffeur/contract/operations/crash-reports';
import { getCrashStack, type StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import { getSourceSettings } from '@chauffeur/contract/operations/source';
import { makeSourceLink } from '@chauffeur/contract/source-link';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';

export type Crash = OutputOf<typeof getCrash>;

const POLL_MS = 5000;

/** Loads a report. While `isPaused`, changes are not followed. */
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

/** The address of the source code of a frame; null if it is unknown. */
export type LinkOf = (frame: StackFrame) => string | null;

/** Links the frames of a report to the source code at `commit`, from which its build was built. */
export function useSource(gameUid: string, commit: string | null): LinkOf {
  const { data } = useQuery(ask(getSourceSettings, { uid: gameUid }));
  return ({ file, line }) => {
    if (data === undefined || data.url_template === null || file === null) return null;
    return makeSourceLink({ ...data, url_template: data.url_template }, { file, line }, commit);
  };
}
