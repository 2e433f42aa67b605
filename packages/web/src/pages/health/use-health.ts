// The launch health of a game's builds, page by page.
import { listHealth } from '@chauffeur/contract/operations/health';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../api.ts';

export function healthQuery(gameUid: string) {
  return infiniteQueryOptions({
    queryKey: [listHealth.id, 'pages', { uid: gameUid }],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listHealth, { uid: gameUid, ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
