// The kinds of requests of crash-lists.ts: lists of reports and groups, and whom crashes hit.
import { hash } from 'node:crypto';
import { type BenchFacet, FACET_VALUES, nameOfValue } from './impact-seed.ts';

/** What the queries are made from. */
export type Game = {
  readonly uid: string;
  readonly builds: readonly string[];
  /** The groups with the most reports come first. */
  readonly groups: readonly string[];
  readonly cursors: readonly string[];
};

/** A kind of request. The words and function names in the queries are from the seed. */
export type Kind = {
  readonly name: string;
  readonly list: 'reports' | 'groups' | 'impact' | 'values';
  readonly query: (game: Game, run: number) => Record<string, string>;
};

/** The last versions of the seed. */
const VERSIONS = ['037', '038', '039'];

const pick = <T>(from: readonly T[], run: number): T => from[(run * 7919) % from.length]!;

/** The filter for a value: one of the most frequent, or one of few reports. */
function filterOf(facet: BenchFacet, run: number): string {
  return `${facet}:"${nameOfValue(facet, (run * 7919) % FACET_VALUES[facet])}"`;
}

function facetKinds(list: Kind['list']): Kind[] {
  return (Object.keys(FACET_VALUES) as BenchFacet[]).map((facet) => ({
    name: `with a value of ${facet}`,
    list,
    query: (_, run) => ({ query: filterOf(facet, run) }),
  }));
}

function deviceNo(run: number): string {
  return hash('md5', `device${run * 31}`);
}

/** Filters that any query can have, and how the names of their kinds end. */
const FILTERS: readonly (readonly [name: string, query: (run: number) => string])[] = [
  ['of an OS by query', (run) => `os:${pick(['windows', 'linux', 'macos'], run)}`],
  ['of an OS without reports by query', () => 'os:android'],
  ['of other OSes', () => '-os:windows'],
  ['of a version', (run) => `version:${pick(VERSIONS, run)}`],
  ['of old versions', () => 'version:<003'],
  ['of late versions', () => 'version:>=030'],
  ['of the last days', (run) => `last:<${1 + (run % 7)}d`],
  ['of open groups', () => 'is:open'],
  ['of new groups', () => 'is:new'],
  ['of assigned groups', () => 'is:assigned'],
  ['of frequent groups', () => 'reports:>100'],
];

function filterKinds(list: Kind['list']): Kind[] {
  return FILTERS.map(([name, query]) => ({ name, list, query: (_, run) => ({ query: query(run) }) }));
}

export const KINDS: readonly Kind[] = [
  { name: 'newest', list: 'reports', query: () => ({}) },
  { name: 'a later page', list: 'reports', query: ({ cursors }, run) => ({ cursor: pick(cursors, run) }) },
  { name: 'of a build', list: 'reports', query: ({ builds }, run) => ({ build_id: pick(builds, run) }) },
  { name: 'of a group', list: 'reports', query: ({ groups }, run) => ({ group_id: pick(groups, run) }) },
  { name: 'of an OS', list: 'reports', query: (_, run) => ({ os: pick(['windows', 'linux', 'macos'], run) }) },
  { name: 'of an OS without reports', list: 'reports', query: () => ({ os: 'android' }) },
  {
    name: 'of a group in a build',
    list: 'reports',
    query: ({ groups, builds }, run) => ({ group_id: pick(groups, run), build_id: pick(builds, run) }),
  },
  {
    name: 'of a build on an OS without reports',
    list: 'reports',
    query: ({ builds }, run) => ({ build_id: pick(builds, run), os: 'android' }),
  },
  { name: 'word in every report', list: 'reports', query: () => ({ text: 'resource' }) },
  {
    name: 'word in a fifth of the reports',
    list: 'reports',
    query: (_, run) => ({ text: pick(['texture', 'shader', 'sound'], run) }),
  },
  { name: 'word of one group', list: 'reports', query: (_, run) => ({ text: `resource${(run * 37) % 3000}` }) },
  { name: 'words of few players', list: 'reports', query: (_, run) => ({ text: `opened word${(run * 37) % 2000}` }) },
  { name: 'word in no report', list: 'reports', query: () => ({ text: 'aardvark' }) },
  {
    name: 'word in a build',
    list: 'reports',
    query: ({ builds }, run) => ({ text: 'shader', build_id: pick(builds, run) }),
  },
  { name: 'function in every report', list: 'reports', query: () => ({ frame: 'engine::run' }) },
  { name: 'function of one group', list: 'reports', query: (_, run) => ({ frame: `method${(run * 37) % 3000}_1(` }) },
  { name: 'part of many functions', list: 'reports', query: (_, run) => ({ frame: `part${run % 60}::` }) },
  { name: 'shared function', list: 'reports', query: (_, run) => ({ frame: `step${(run * 61) % 4000}(` }) },
  { name: 'function in no report', list: 'reports', query: () => ({ frame: 'nowhere' }) },
  {
    name: 'function in a group',
    list: 'reports',
    query: ({ groups }, run) => ({ frame: 'main', group_id: pick(groups, run) }),
  },
  ...filterKinds('reports'),
  ...facetKinds('reports'),
  { name: 'of a device', list: 'reports', query: (_, run) => ({ query: `device:${deviceNo(run)}` }) },
  {
    name: 'with a GPU in a build',
    list: 'reports',
    query: ({ builds }, run) => ({ query: filterOf('gpu', run), build_id: pick(builds, run) }),
  },
  { name: 'most recent', list: 'groups', query: () => ({}) },
  { name: '100 most recent', list: 'groups', query: () => ({ limit: '100' }) },
  { name: 'open', list: 'groups', query: () => ({ status: 'open' }) },
  { name: 'resolved', list: 'groups', query: () => ({ status: 'resolved' }) },
  { name: 'of a build', list: 'groups', query: ({ builds }, run) => ({ build_id: pick(builds, run) }) },
  { name: 'by devices', list: 'groups', query: () => ({ sort: 'devices' }) },
  { name: 'with over 100 devices', list: 'groups', query: () => ({ query: 'devices:>100', sort: 'devices' }) },
  ...filterKinds('groups'),
  ...facetKinds('groups'),
  { name: 'with a part of a GPU', list: 'groups', query: () => ({ query: 'gpu:*1*', sort: 'devices' }) },
  {
    name: 'with two facets and an OS',
    list: 'groups',
    query: (_, run) => ({ query: `os:windows ${filterOf('gpu', run)} ${filterOf('ram', run)}` }),
  },
  { name: 'of a device', list: 'groups', query: (_, run) => ({ query: `device:${deviceNo(run)}` }) },
  { name: 'with a part of a driver and of a GPU', list: 'groups', query: () => ({ query: 'gpu:*7* driver:*3*' }) },
  { name: 'without a GPU', list: 'groups', query: (_, run) => ({ query: `-${filterOf('gpu', run)}` }) },
  { name: 'of a game', list: 'impact', query: () => ({}) },
  { name: 'of a build', list: 'impact', query: ({ builds }, run) => ({ build_id: pick(builds, run) }) },
  { name: 'of the largest groups', list: 'impact', query: ({ groups }, run) => ({ group_id: groups[run % 5]! }) },
  { name: 'of a group', list: 'impact', query: ({ groups }, run) => ({ group_id: pick(groups, run) }) },
  {
    name: 'of a group in a build',
    list: 'impact',
    query: ({ groups, builds }, run) => ({ group_id: groups[run % 5]!, build_id: pick(builds, run) }),
  },
  ...filterKinds('impact'),
  { name: 'of a word', list: 'impact', query: () => ({ query: 'message:shader' }) },
  { name: 'of a function', list: 'impact', query: (_, run) => ({ query: `method${(run * 37) % 3000}_1(` }) },
  { name: 'of a GPU', list: 'impact', query: (_, run) => ({ query: filterOf('gpu', run) }) },
  { name: 'of a part of a GPU', list: 'impact', query: () => ({ query: 'gpu:*1*' }) },
  {
    name: 'of two facets and an OS',
    list: 'impact',
    query: (_, run) => ({ query: `os:windows ${filterOf('gpu', run)} ${filterOf('ram', run)}` }),
  },
  { name: 'of facets', list: 'values', query: () => ({}) },
  { name: 'with a part', list: 'values', query: (_, run) => ({ facet: 'driver', part: `${run % 10}` }) },
];
