// Measures the lists of a game's crash reports and groups over HTTP, with 10,000 and with 1,000,000 reports.
// `--reports 1000000`.
import { hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { partitionOf } from '../packages/server/src/features/crashes/report/partitions.ts';
import { openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { ensurePartition } from '../packages/server/src/kernel/database/partitions.ts';
import { startEmbeddedPostgres } from '../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { DAYS, prepareSeed, seedReports } from './crash-seed.ts';
import { note, print, printFigure } from './figures.ts';
import { type BenchFacet, FACET_VALUES, nameOfValue } from './impact-seed.ts';
import { EMAIL, type Get, PASSWORD, signIn } from './requests.ts';
import { createFolder, startService } from './service.ts';

const FEW = 10_000;
/** Requests of each kind, one after another, because few people read a list at the same time. */
const RUNS = 60;
const WARM_UP = 5;

type Game = {
  readonly uid: string;
  readonly builds: readonly string[];
  readonly groups: readonly string[];
  readonly cursors: readonly string[];
};

/** A kind of request. The words and function names in the queries are from the seed. */
type Kind = {
  readonly name: string;
  readonly list: 'reports' | 'groups';
  readonly query: (game: Game, run: number) => Record<string, string>;
};

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

const KINDS: readonly Kind[] = [
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
  ...facetKinds('groups'),
  { name: 'with a part of a GPU', list: 'groups', query: () => ({ query: 'gpu:*1*', sort: 'devices' }) },
  {
    name: 'with two facets and an OS',
    list: 'groups',
    query: (_, run) => ({ query: `os:windows ${filterOf('gpu', run)} ${filterOf('ram', run)}` }),
  },
  { name: 'of a device', list: 'groups', query: (_, run) => ({ query: `device:${deviceNo(run)}` }) },
];

const PATHS = { reports: 'crashes', groups: 'crash-groups' } as const;

/** Reads builds, 100 groups and the cursors of the first ten pages, for the queries. */
async function explore(get: Get, uid: string): Promise<Game> {
  const { builds } = (await get(`/games/${uid}/builds?page_size=100`)) as { builds: { build_id: string }[] };
  const { groups } = (await get(`/games/${uid}/crash-groups?limit=100`)) as { groups: { group_id: string }[] };
  const cursors: string[] = [];
  let query = 'limit=100';
  for (let page = 0; page < 10; page += 1) {
    const { next_cursor: cursor } = (await get(`/games/${uid}/crashes?${query}`)) as { next_cursor: string };
    cursors.push(cursor);
    query = `limit=100&cursor=${cursor}`;
  }
  return {
    uid,
    builds: builds.map(({ build_id }) => build_id),
    groups: groups.map(({ group_id }) => group_id),
    cursors,
  };
}

type Times = ReadonlyMap<Kind, readonly number[]>;

async function measure(get: Get, game: Game): Promise<Times> {
  const times = new Map<Kind, number[]>();
  for (const kind of KINDS) {
    const milliseconds: number[] = [];
    for (let run = -WARM_UP; run < RUNS; run += 1) {
      const query = new URLSearchParams(kind.query(game, run + WARM_UP));
      const begun = performance.now();
      await get(`/games/${game.uid}/${PATHS[kind.list]}?${query}`);
      if (run >= 0) milliseconds.push(performance.now() - begun);
    }
    times.set(kind, milliseconds);
  }
  return times;
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

function report(few: Times, many: Times, reports: number): void {
  const format = (times: readonly number[]) =>
    `p50 ${percentile(times, 0.5).toFixed(1)}, p95 ${percentile(times, 0.95).toFixed(1)} ms`;
  for (const [kind, times] of many)
    print(`${kind.list}, ${kind.name}: ${format(times)} (with ${FEW}: ${format(few.get(kind) ?? [])})`);
  for (const list of ['reports', 'groups'] as const) {
    const all = (of: Times) => [...of].filter(([kind]) => kind.list === list).flatMap(([, times]) => times);
    const [small, large] = [percentile(all(few), 0.95), percentile(all(many), 0.95)];
    printFigure(`p95 of all lists of ${list} with ${reports}`, large, { below: 50 }, { unit: ' ms', digits: 1 });
    printFigure(`the same / with ${FEW}`, large / small, { below: 2 });
  }
}

const { values } = parseArgs({ options: { reports: { type: 'string', default: '1000000' } } });
const many = Number(values.reports);
const folder = await createFolder();
const log = pino({ level: 'warn' });
const service = await startService(join(folder, 'data'));
const postgres = await startEmbeddedPostgres(join(folder, 'data'), log);
const database = openDatabase(postgres.url, { connections: 2, log, name: 'bench' });
const client = await database.pool.connect();
try {
  service.admin(['user', 'create', '--email', EMAIL, '--password-stdin', '--verified'], `${PASSWORD}\n`);
  const { game_uid: uid = '' } = service.admin(['game', 'create', '--owner', EMAIL, '--name', 'Bench']);
  for (let days = 0; days <= DAYS; days += 28)
    await ensurePartition(database.db, partitionOf(new Date(Date.now() - days * 86_400_000)));
  await ensurePartition(database.db, partitionOf(new Date(Date.now() - DAYS * 86_400_000)));
  await prepareSeed(client, uid);
  const get = await signIn(service);
  const times: Times[] = [];
  for (const [from, to] of [
    [0, FEW],
    [FEW, many],
  ] as const) {
    const begun = performance.now();
    await seedReports(client, uid, from, to);
    note(`inserted ${to} reports in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    times.push(await measure(get, await explore(get, uid)));
  }
  report(times[0]!, times[1]!, many);
} finally {
  client.release();
  await database.close();
  await postgres.stop();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
