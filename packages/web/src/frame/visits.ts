// Records that someone looks at a game, so that its overview can say what is new since their last visit. Nothing waits
// for it, and a page that polls in a hidden tab does not count.
import { visitGame } from '@chauffeur/contract/operations/overview';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call } from '../api.ts';

/** The server writes no more often either. */
const PAUSE_MS = 5 * 60_000;

const recorded = new Map<string, number>();

/** Called by the frame of the game: opening a page of the game, or coming back to its tab, is a part of a visit. */
export function useVisits(gameUid: string): void {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that is opened counts
  useEffect(() => record(gameUid), [gameUid, pathname]);
  useEffect(() => {
    const onChange = () => record(gameUid);
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [gameUid]);
}

function record(gameUid: string): void {
  const now = Date.now();
  if (document.visibilityState !== 'visible' || now - (recorded.get(gameUid) ?? 0) < PAUSE_MS) return;
  recorded.set(gameUid, now);
  // The next page tries again.
  call(visitGame, { uid: gameUid }).catch(() => recorded.delete(gameUid));
}
