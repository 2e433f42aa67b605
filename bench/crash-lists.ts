// Measures the lists of a game's crash reports and groups, and whom crashes hit, over HTTP: with 10,000 reports and with
// 1,000,000, in turns. `--reports 1000000 --runs 60 --only facet`. With `--folder`, the data stays there for the next run.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { reportPartitionOf } from '../packages/server/src/crash/crashes/report/files.ts';
import { type Database, openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { ensurePartition } from '../packages/server/src/kernel/database/partitions.ts';
import { startEmbeddedPostgres } from '../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { type Game, KINDS, type Kind } from './crash-list-kinds.ts';
import { DAYS, prepareSeed, seedReports } from './crash-seed.ts';
import { note, print, printFigure } from './figures.ts';
import { EMAIL, type Get, PASSWORD, signIn } from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const FEW = 10_000;
const WARM_UP = 5;
const PATHS = { reports: 'crashes', groups: 'crash-groups', impact: 'crash-impact', values: 'crash-facets' } as const;

const { values } = parseArgs({
  options: {
    reports: { type: 'string', default: '1000000' },
    /** Requests of each kind, one after another, because few people read a list at the same time. */
    runs: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
  },
});
const [many, runs] = [Number(values.reports), Number(values.runs)];
const log = pino({ level: 'warn' });

/** A server with one game of so many reports. */
type Place = { readonly get: Get; readonly game: Game; close(): Promise<void> };

async function openPlace(folder: string, reports: number): Promise<Place> {
  const data = join(folder, `reports-${reports}`);
  await mkdir(data, { recursive: true });
  const service = await startService(data);
  const postgres = await startEmbeddedPostgres(data, log);
  const database = openDatabase(postgres.url, { connections: 2, log, name: 'bench' });
  const close = async () => {
    await database.close();
    await postgres.stop();
    await service.stop();
  };
  try {
    const uid = await seededGame(data, service, database, reports);
    const get = await signIn(service);
    return { get, game: await explore(get, uid), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The game of an earlier run in this folder, or a new one. */
async function seededGame(data: string, service: Service, database: Database, reports: number): Promise<string> {
  const record = join(data, 'bench-game');
  const existing = await readFile(record, 'utf8').catch(() => undefined);
  if (existing !== undefined) return existing;
  const begun = performance.now();
  service.admin(['user', 'create', '--email', EMAIL, '--password-stdin', '--verified'], `${PASSWORD}\n`);
  const { game_uid: uid = '' } = service.admin(['game', 'create', '--owner', EMAIL, '--name', 'Bench']);
  for (let days = 0; days <= DAYS + 27; days += 28)
    await ensurePartition(database.db, reportPartitionOf(new Date(Date.now() - Math.min(days, DAYS) * 86_400_000)));
  const client = await database.pool.connect();
  try {
    await prepareSeed(client, uid);
    await seedReports(client, uid, reports);
  } finally {
    client.release();
  }
  note(`inserted ${reports} reports in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  await writeFile(record, uid);
  return uid;
}

/** Reads builds, 100 groups and the cursors of the first ten pages, for the queries. */
async function explore(get: Get, uid: string): Promise<Game> {
  const { builds } = (await get(`/games/${uid}/builds?page_size=100`)) as { builds: { build_id: string }[] };
  const { groups } = (await get(`/games/${uid}/crash-groups?limit=100&sort=reports`)) as {
    groups: { group_id: string }[];
  };
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

async function time({ get, game }: Place, kind: Kind, run: number): Promise<number> {
  const query = new URLSearchParams(kind.query(game, run));
  const begun = performance.now();
  await get(`/games/${game.uid}/${PATHS[kind.list]}?${query}`);
  return performance.now() - begun;
}

type Times = { readonly kind: Kind; readonly few: readonly number[]; readonly many: readonly number[] };

async function measure(small: Place, large: Place): Promise<Times[]> {
  const all: Times[] = [];
  for (const kind of KINDS.filter(({ name, list }) => `${list}, ${name}`.includes(values.only))) {
    const times = { kind, few: [] as number[], many: [] as number[] };
    for (let run = 0; run < WARM_UP + runs; run += 1) {
      const [few, more] = [await time(small, kind, run), await time(large, kind, run)];
      if (run < WARM_UP) continue;
      times.few.push(few);
      times.many.push(more);
    }
    all.push(times);
    const format = (each: readonly number[]) =>
      `p50 ${percentile(each, 0.5).toFixed(1)}, p95 ${percentile(each, 0.95).toFixed(1)} ms`;
    print(`${kind.list}, ${kind.name}: ${format(times.many)} (with ${FEW}: ${format(times.few)})`);
  }
  return all;
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

function report(times: readonly Times[]): void {
  for (const list of Object.keys(PATHS)) {
    const ofList = times.filter(({ kind }) => kind.list === list);
    if (ofList.length === 0) continue;
    const [small, large] = [ofList.flatMap(({ few }) => few), ofList.flatMap(({ many }) => many)];
    const slowest = ofList.map(({ kind, many }) => ({ kind, p95: percentile(many, 0.95) }));
    const worst = slowest.reduce((a, b) => (b.p95 > a.p95 ? b : a));
    printFigure(`p95 of all ${list} with ${many}`, percentile(large, 0.95), { below: 50 }, { unit: ' ms', digits: 1 });
    printFigure(`the slowest, ${worst.kind.name}: p95`, worst.p95, { below: 50 }, { unit: ' ms', digits: 1 });
    printFigure(`all / with ${FEW}`, percentile(large, 0.95) / percentile(small, 0.95), { below: 2 });
  }
}

const folder = values.folder ?? (await createFolder());
const places: Place[] = [];
try {
  for (const reports of [FEW, many]) places.push(await openPlace(folder, reports));
  report(await measure(places[0]!, places[1]!));
} finally {
  for (const place of places) await place.close();
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
}
