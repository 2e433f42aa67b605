// Follows the changes of the open game through a stream of the server, so that its pages need not ask again and again.
// Without the stream, such as behind a proxy that breaks it, they ask every few seconds.
import type { ChangeEvent, ChangeTopic } from '@chauffeur/contract/operations/live';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';

/** How often to ask even with the stream, in case a change was missed. */
const LIVE_INTERVAL_MS = 60_000;
/** The pause between two requests: busy games change all the time, and no one reads that fast. */
const MIN_PAUSE_MS = 2000;
/** The stream begins with what changed in the ten seconds before, of which a request may have taken two. */
const REPEATED_MS = 8000;
/** Many pages learn of a change at the same moment. This spreads their requests. */
const SPREAD_MS = 500;
/** A tab that is hidden for longer closes its connection, because browsers have few. */
const HIDDEN_MS = 10_000;
/** The delay before connecting again after an error status, such as while the server restarts. */
const RETRY_MS = 20_000;
/** After this time, the page connects again, and the server checks again who is asking. */
const STREAM_SECONDS = 900;

let isLive = false;
const listeners = new Set<() => void>();

function setLive(live: boolean): void {
  if (live === isLive) return;
  isLive = live;
  for (const listener of listeners) listener();
}

/** The `meta` of a query that is loaded again when its topic changes. */
export function follow(topic: ChangeTopic): { live: ChangeTopic } {
  return { live: topic };
}

/** How often a query asks by itself: every `pollMs` milliseconds without the stream, and rarely with it. */
export function useLiveInterval(pollMs: number): number {
  const live = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLive,
  );
  return live ? LIVE_INTERVAL_MS : pollMs;
}

/** Called once on a page, by the frame of the game. Follows nothing if `gameUid` is null. */
export function useLiveChanges(gameUid: string | null): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (gameUid === null) return;
    const refetch = throttleByTopic((topic) => reload(queries, topic));
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      source?.close();
      source = undefined;
      setLive(false);
    };
    const open = () => {
      clearTimeout(timer);
      if (source !== undefined && source.readyState !== EventSource.CLOSED) return;
      source = new EventSource(`/api/v1/games/${gameUid}/changes?seconds=${STREAM_SECONDS}`);
      source.addEventListener('ready', () => {
        setLive(true);
        reloadOld(queries);
      });
      source.onerror = () => {
        setLive(false);
        // After an error status, the browser doesn't connect again by itself.
        // The delay is random, so that not all pages connect at the same moment.
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, RETRY_MS * (0.5 + Math.random()));
      };
      source.addEventListener('change', ({ data }: MessageEvent<string>) => {
        for (const topic of (JSON.parse(data) as ChangeEvent).topics) refetch(topic);
      });
    };
    const onVisibility = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') open();
      else timer = setTimeout(close, HIDDEN_MS);
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(timer);
      close();
    };
  }, [gameUid, queries]);
}

function reload(queries: QueryClient, topic: ChangeTopic): void {
  void queries.invalidateQueries({ predicate: ({ meta }) => meta?.live === topic });
}

/** Whether a query was loaded so long before the stream began that the stream doesn't repeat what changed since. */
function reloadOld(queries: QueryClient): void {
  const since = Date.now() - REPEATED_MS;
  void queries.invalidateQueries({
    predicate: ({ meta, state }) =>
      meta?.live !== undefined && state.fetchStatus === 'idle' && state.dataUpdatedAt < since,
  });
}

/** Runs at once if nothing happened for a while, and otherwise once at the end of the pause. */
function throttleByTopic(act: (topic: ChangeTopic) => void): (topic: ChangeTopic) => void {
  const next = new Map<ChangeTopic, number>();
  return (topic) => {
    const now = Date.now();
    const due = next.get(topic) ?? 0;
    if (due > now + MIN_PAUSE_MS) return;
    const at = Math.max(due, now) + Math.random() * SPREAD_MS;
    next.set(topic, at + MIN_PAUSE_MS);
    setTimeout(() => act(topic), at - now);
  };
}
