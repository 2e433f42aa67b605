// The filters of the crash lists, and how the URL stores them.
import { OSES, type Os } from '@chauffeur/contract/identity';
import { GROUP_STATUSES, type GroupStatus } from '@chauffeur/contract/operations/crashes';

/** Groups are the default. A search always shows reports, because groups have no functions and no messages. */
type View = 'groups' | 'reports';
export type Status = GroupStatus | 'all';
/** What a search looks at: the functions on the stack, or the messages of the game and of the player. */
export type SearchIn = 'frame' | 'text';

export type CrashFilters = {
  readonly view: View;
  readonly status: Status;
  readonly build?: string;
  /** A build ID: only groups that were first seen after it was registered. */
  readonly since?: string;
  readonly os?: Os;
  readonly search?: { readonly in: SearchIn; readonly text: string };
};

const STATUSES: readonly Status[] = [...GROUP_STATUSES, 'all'];
const MAX_LENGTH: Readonly<Record<SearchIn, number>> = { frame: 500, text: 200 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the filters from the URL and ignores invalid values. */
export function readFilters(search: Readonly<Record<string, string | undefined>>): CrashFilters {
  const uuid = (name: string) => (UUID.test(search[name] ?? '') ? search[name] : undefined);
  const [build, since, os] = [uuid('build'), uuid('since'), OSES.find((name) => name === search.os)];
  const searched = readSearch(search);
  return {
    view: searched !== undefined || search.view === 'reports' ? 'reports' : 'groups',
    status: STATUSES.find((name) => name === search.status) ?? 'open',
    ...(build !== undefined && { build }),
    ...(since !== undefined && { since }),
    ...(os !== undefined && { os }),
    ...(searched !== undefined && { search: searched }),
  };
}

/** If the URL has both searches, the one for functions applies. */
function readSearch(search: Readonly<Record<string, string | undefined>>): CrashFilters['search'] {
  for (const place of ['frame', 'text'] as const) {
    const text = search[place]?.trim().slice(0, MAX_LENGTH[place]);
    if (text !== undefined && text !== '') return { in: place, text };
  }
  return undefined;
}

/** The filters as URL parameters, without defaults. */
export function toSearch({ view, status, build, since, os, search }: CrashFilters) {
  return {
    view: view === 'reports' && search === undefined ? view : undefined,
    status: status === 'open' ? undefined : status,
    build,
    since,
    os,
    frame: search?.in === 'frame' ? search.text : undefined,
    text: search?.in === 'text' ? search.text : undefined,
  };
}

/** Whether an empty list may be due to the filters. */
export function isFiltered({ view, status, build, since, os, search }: CrashFilters): boolean {
  const hidesGroups = (status !== 'open' && status !== 'all') || since !== undefined;
  const hidesReports = os !== undefined || search !== undefined;
  return build !== undefined || (view === 'groups' ? hidesGroups : hidesReports);
}
