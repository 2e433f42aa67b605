// What the lists of crashes are narrowed down to, as it stands in the address of the page.
import { OSES, type Os } from '@chauffeur/contract/identity';

/** Reports are shown when they are asked for, and for every search: groups have no functions and no words. */
export type View = 'groups' | 'reports';
export type Status = 'open' | 'resolved' | 'all';
/** Where a search looks. */
export type SearchIn = 'frame' | 'text';

export type CrashFilters = {
  readonly view: View;
  readonly status: Status;
  readonly build?: string;
  /** A build: groups that were first seen after it was registered. */
  readonly since?: string;
  readonly os?: Os;
  readonly search?: { readonly in: SearchIn; readonly words: string };
};

const LONGEST: Readonly<Record<SearchIn, number>> = { frame: 500, text: 200 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Takes from an address what is a filter, and drops what is none. */
export function readFilters(search: Readonly<Record<string, string | undefined>>): CrashFilters {
  const uuid = (name: string) => (UUID.test(search[name] ?? '') ? search[name] : undefined);
  const words = (name: SearchIn) => search[name]?.trim().slice(0, LONGEST[name]) || undefined;
  const [build, since, os] = [uuid('build'), uuid('since'), OSES.find((known) => known === search.os)];
  const [frame, text] = [words('frame'), words('text')];
  const found =
    frame !== undefined
      ? ({ in: 'frame', words: frame } as const)
      : text !== undefined
        ? ({ in: 'text', words: text } as const)
        : undefined;
  return {
    view: found !== undefined || search.view === 'reports' ? 'reports' : 'groups',
    status: search.status === 'resolved' || search.status === 'all' ? search.status : 'open',
    ...(build !== undefined && { build }),
    ...(since !== undefined && { since }),
    ...(os !== undefined && { os }),
    ...(found !== undefined && { search: found }),
  };
}

/** As an address holds them; what holds by itself is left out. */
export function asTexts({ view, status, build, since, os, search }: CrashFilters) {
  return {
    view: view === 'reports' && search === undefined ? view : undefined,
    status: status === 'open' ? undefined : status,
    build,
    since,
    os,
    frame: search?.in === 'frame' ? search.words : undefined,
    text: search?.in === 'text' ? search.words : undefined,
  };
}

/** Whether something keeps crashes from the list that would stand there without. */
export function isFiltered({ view, status, build, since, os, search }: CrashFilters): boolean {
  const ofGroups = status === 'resolved' || since !== undefined;
  const ofReports = os !== undefined || search !== undefined;
  return build !== undefined || (view === 'groups' ? ofGroups : ofReports);
}
