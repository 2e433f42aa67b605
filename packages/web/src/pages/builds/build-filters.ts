// The filters and the order of the list of builds, and how the URL stores them.
import { OSES, type Os, type Platform } from '@chauffeur/contract/identity';
import { BUILD_ORDERS, type BuildOrder } from '@chauffeur/contract/operations/builds';
import { comparePlatforms } from '../../ui/platforms.ts';
import { BUILD_STATES, type BuildStateName } from '../../ui/states.ts';

export type BuildFilters = {
  readonly search?: string;
  readonly os?: Os;
  readonly channel?: string;
  readonly state?: BuildStateName;
  readonly sort?: BuildOrder;
  readonly page?: number;
};

/** Filters of which some are changed or removed. */
export type ChangedFilters = { readonly [Name in keyof BuildFilters]: BuildFilters[Name] | undefined };

/** Reads the filters from the URL and ignores invalid values. */
export function readBuildFilters(search: Readonly<Record<string, unknown>>): BuildFilters {
  const text = (name: string) => (typeof search[name] === 'string' && search[name] !== '' ? search[name] : undefined);
  const sort = BUILD_ORDERS.find((order) => order === search.sort);
  const [words, os, state, channel, page] = [
    text('search')?.slice(0, 255),
    OSES.find((name) => name === search.os),
    text('state'),
    text('channel'),
    readPage(search.page),
  ];
  return {
    ...(words !== undefined && { search: words }),
    ...(os !== undefined && { os }),
    ...(channel !== undefined && /^[a-z0-9][a-z0-9_-]{0,31}$/.test(channel) && { channel }),
    ...(state !== undefined && Object.hasOwn(BUILD_STATES, state) && { state: state as BuildStateName }),
    // The default is not in the URL.
    ...(sort !== undefined && sort !== 'registered' && { sort }),
    ...(page > 1 && { page }),
  };
}

/** Reads a page number; 1 if it is invalid. */
export function readPage(text: unknown): number {
  const page = Number(text);
  return Number.isInteger(page) && page > 1 && page <= 100_000 ? page : 1;
}

export function isBuildFiltered({ page, sort, ...filters }: BuildFilters): boolean {
  return Object.keys(filters).length > 0;
}

/** The filters as URL parameters; the first page has no number. */
export function toBuildSearch({ page, ...filters }: ChangedFilters) {
  return { ...filters, page: page === undefined || page === 1 ? undefined : String(page) };
}

/** Builds in the order of registration, with those of one version together, at the place of the newest. */
export function groupByVersion<Build extends Platform & { readonly version: string }>(
  builds: readonly Build[],
): readonly Build[] {
  return [...Map.groupBy(builds, ({ version }) => version).values()].flatMap((same) => same.toSorted(comparePlatforms));
}
