// What the list of builds is filtered by, as the address of the page holds it.
import { OSES, type Os } from '@chauffeur/contract/identity';
import { BUILD_STATES, type BuildStateName } from '../../ui/states.ts';

export type BuildFilters = {
  readonly search?: string;
  readonly os?: Os;
  readonly channel?: string;
  readonly state?: BuildStateName;
  readonly page?: number;
};

/** Filters with some of them changed, or taken away. */
export type ChangedFilters = { readonly [Name in keyof BuildFilters]: BuildFilters[Name] | undefined };

/** Takes from an address what is a filter, and drops what is none. */
export function readFilters(search: Readonly<Record<string, unknown>>): BuildFilters {
  const text = (name: string) => (typeof search[name] === 'string' && search[name] !== '' ? search[name] : undefined);
  const [words, os, state, channel, page] = [
    text('search')?.slice(0, 255),
    OSES.find((known) => known === search.os),
    text('state'),
    text('channel'),
    readPage(search.page),
  ];
  return {
    ...(words !== undefined && { search: words }),
    ...(os !== undefined && { os }),
    ...(channel !== undefined && /^[a-z0-9][a-z0-9_-]{0,31}$/.test(channel) && { channel }),
    ...(state !== undefined && Object.hasOwn(BUILD_STATES, state) && { state: state as BuildStateName }),
    ...(page > 1 && { page }),
  };
}

/** The number of a page; 1 for what is none. */
export function readPage(text: unknown): number {
  const page = Number(text);
  return Number.isInteger(page) && page > 1 && page <= 100_000 ? page : 1;
}

export function isFiltered({ page, ...filters }: BuildFilters): boolean {
  return Object.keys(filters).length > 0;
}

/** As an address holds them; the first page needs no number. */
export function asTexts({ page, ...filters }: ChangedFilters) {
  return { ...filters, page: page === undefined || page === 1 ? undefined : String(page) };
}
