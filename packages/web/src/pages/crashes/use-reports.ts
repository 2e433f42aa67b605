// Crash reports, newest first, as a list that follows new ones.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listCrashes } from '@chauffeur/contract/operations/crashes';
import { call } from '../../api.ts';
import { type LiveList, useLiveList } from './use-live-list.ts';

export type ListedReport = OutputOf<typeof listCrashes>['crashes'][number];
type ReportsInput = Omit<Parameters<typeof call<typeof listCrashes>>[1], 'cursor'>;

export function useReports(input: ReportsInput): LiveList<ListedReport> {
  return useLiveList({
    queryKey: [listCrashes.id, input],
    loadPage: async (cursor, signal) => {
      const page = await call(listCrashes, { ...input, ...(cursor !== undefined && { cursor }) }, signal);
      return { items: page.crashes, next: page.next_cursor };
    },
    idOf: ({ crash_id }) => crash_id,
  });
}

export function formatShowNewReports(count: number, isAtLeast: boolean): string {
  if (isAtLeast) return `Show ${count} or more new reports`;
  return count === 1 ? 'Show 1 new report' : `Show ${count} new reports`;
}
