// Measures what one machine takes, what a second process adds, and how much processor time and disk each kind of work
// costs, from which docs/capacity.md computes how many machines a studio needs. The processes take turns, and figures
// are medians of the rounds: `--rounds 3 --seconds 10 --connections 64`. With `--cores 0.2`, as root, two `api`
// processes are compared that get at most so much of a core, so that neither PostgreSQL nor the clients are the limit.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { startEmbeddedPostgres } from '../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { formOf, smallZip, uploadFields } from '../packages/server/test/setup/uploads.ts';
import { medianOf, note, print } from './figures.ts';
import { prepareDump } from './prepare-dump.ts';
import { cpuSecondsOf, cpuSecondsWithChildren } from './process-watch.ts';
import {
  callApi,
  DEVICE,
  type OpenedGame,
  openGame,
  PLATFORM,
  postOf,
  REPORT,
  SESSION,
  SESSION_EVENTS,
  send,
  signIn,
} from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    cores: { type: 'string' },
  },
});
const [rounds, seconds, connections] = [values.rounds, values.seconds, values.connections].map(Number) as [
  number,
  number,
  number,
];
const cores = values.cores === undefined ? null : Number(values.cores);

const MIB = 1024 * 1024;
const FILE_BYTES = 20 * MIB;
const DUMP_BYTES = 500_000;
/** How many downloads, page requests or dumps are in progress at once. */
const CLIENTS = 8;
/** A million devices repeat in turn. */
const DEVICES = 1_000_000;

/** Sends for some seconds to these processes, and returns how many units succeeded. */
type Work = {
  /** A plural, such as `requests`. */
  readonly unit: string;
  /** Only reads, so that what the database grows by meanwhile has other reasons. */
  readonly reads?: boolean;
  readonly run: (to: readonly Service[]) => Promise<number>;
};
type Run = { readonly rate: number; readonly serviceCpu: number; readonly databaseCpu: number; readonly bytes: number };

const folder = await createFolder();
const dataFolder = join(folder, 'data');
const log = pino({ level: 'warn' });
const main = await startService(dataFolder);
/** The process that does the background jobs answers requests too, unless the processes are limited. */
const first = cores === null ? main : await startService(dataFolder, { role: 'api' });
const second = await startService(dataFolder, { role: 'api' });
const limits = cores === null ? [] : [await limitProcess(first, cores), await limitProcess(second, cores)];
const postgres = await startEmbeddedPostgres(dataFolder, log);
const postmaster = Number.parseInt(readFileSync(join(dataFolder, 'postgres', 'postmaster.pid'), 'utf8'), 10);
const database = openDatabase(postgres.url, { connections: 1, log, name: 'bench' });
/** The number of the next request, so that ids differ between rounds. */
let firstNo = 0;
try {
  const game = await openGame(first);
  await measure(await prepare(game));
} finally {
  await database.close();
  await postgres.stop();
  await second.stop();
  if (first !== main) await first.stop();
  await main.stop();
  for (const group of limits) await rmdir(group);
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 1000 });
}

async function prepare(game: OpenedGame): Promise<Record<string, Work>> {
  const api = `${first.url}/api/v1`;
  const dump = await prepareDump(api, game, folder, DUMP_BYTES);
  const download = await shipFile(api, game);
  const pages = ['health', 'crash-groups', 'crashes', 'builds', 'events/names'].map(
    (page) => `/games/${game.game}/${page}`,
  );
  const gets = new Map(await Promise.all([first, second].map(async (each) => [each, await signIn(each)] as const)));
  const single = JSON.stringify({ event: 'boot_ok', device_uid: DEVICE, ms: 1830 });
  return {
    'events in batches of 100': {
      unit: 'events',
      run: posting(postOf('/api/v1/public/events', game, SESSION), 202, SESSION_EVENTS),
    },
    'single events': { unit: 'events', run: posting(postOf('/api/v1/public/events', game, single), 202, 1) },
    'crash reports': { unit: 'reports', run: posting(postOf('/api/v1/public/crashes', game, REPORT), 201, 1) },
    'minidumps of 0.5 MB': {
      unit: 'dumps',
      run: async (to) => {
        const count = await repeating(to, async ({ url }) => {
          const opened = await callApi<{ uploads: { dump: { url: string } } }>(`${url}/api/v1/public/crashes`, {
            method: 'POST',
            headers: { 'x-app-id': game.game, 'x-build-id': game.build, 'content-type': 'application/json' },
            body: JSON.stringify({ has_dump: true }),
          });
          await callApi(opened.uploads.dump.url, { method: 'PUT', body: new Uint8Array(dump) });
        });
        await untilProcessed();
        return count;
      },
    },
    'pages of the website': {
      unit: 'pages',
      reads: true,
      run: (to) => repeating(to, (each, no) => gets.get(each)!(pages[no % pages.length]!).then(() => undefined)),
    },
    downloads: {
      unit: 'MiB',
      reads: true,
      run: async (to) => {
        const count = await repeating(to, async ({ url }) => {
          const response = await fetch(`${url}${download}`);
          if (!response.ok) throw new Error(`${download} returned ${response.status}`);
          for await (const _ of response.body!);
        });
        return (count * FILE_BYTES) / MIB;
      },
    },
  };
}

function posting(request: string, status: number, perRequest: number): Work['run'] {
  return async (to) => {
    const volume = { connections: connections / to.length, seconds, warmSeconds: 0 };
    const results = await Promise.all(
      to.map((service, no) => {
        const load = { request, status, numbers: DEVICES, firstNo: firstNo + (no * DEVICES) / 2 };
        return send(service, load, volume);
      }),
    );
    firstNo = (firstNo + 50_000) % DEVICES;
    return results.reduce((sum, { rate }) => sum + rate * seconds, 0) * perRequest;
  };
}

/** Counts how often `work` succeeds when some clients repeat it, each with the next process. */
async function repeating(to: readonly Service[], work: (to: Service, no: number) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const loop = async () => {
    for (; performance.now() < end; count += 1) await work(to[count % to.length]!, count);
  };
  await Promise.all(Array.from({ length: CLIENTS }, loop));
  return count;
}

async function untilProcessed(): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      `select exists (select from graphile_worker._private_jobs where attempts < max_attempts and run_at <= now()) as waiting`,
    );
    if (!rows[0].waiting) return;
    await wait(50);
  }
}

/** Returns the path of the download. */
async function shipFile(api: string, { game, build, keys }: OpenedGame): Promise<string> {
  const zip = smallZip('data.bin', randomBytes(FILE_BYTES));
  const form = formOf({ ...uploadFields(build, zip), ...PLATFORM }, zip);
  const { file_uid: file } = await callApi<{ file_uid: string }>(`${api}/tool/upload/files`, {
    method: 'POST',
    headers: keys,
    body: form,
  });
  await untilProcessed();
  await database.pool.query(`update all_games set visibility = 'public', published_at = now() where game_id = $1`, [
    game,
  ]);
  return `/api/v1/public/games/${game}/files/${file}/download`;
}

async function measure(works: Record<string, Work>): Promise<void> {
  print('| | One process | With a second | Service, for each | PostgreSQL, for each | Database, for each |');
  print('|---|---|---|---|---|---|');
  for (const [name, { unit, reads, run }] of Object.entries(works)) {
    const [alone, both]: [Run[], Run[]] = [[], []];
    // The first round warms everything up.
    for (let no = 0; no <= rounds; no += 1) {
      for (const [runs, to] of [
        [alone, [first]],
        [both, [first, second]],
      ] as const) {
        const result = await measureRun(() => run(to));
        note(`${name}, ${to.length}: ${result.rate.toFixed(0)} a second`);
        if (no > 0) runs.push(result);
      }
    }
    const median = (runs: readonly Run[], value: (run: Run) => number) => medianOf(runs.map(value));
    const gain = medianOf(both.map(({ rate }, no) => rate / alone[no]!.rate));
    const cells = [
      name,
      `${round(median(alone, ({ rate }) => rate))} ${unit} a second`,
      `× ${gain.toFixed(1)}`,
      duration(median(alone, ({ serviceCpu }) => serviceCpu)),
      duration(median(alone, ({ databaseCpu }) => databaseCpu)),
      reads ? '' : `${round(median(alone, ({ bytes }) => bytes))} bytes`,
    ];
    print(`| ${cells.join(' | ')} |`);
  }
}

/** Limits a process, with its threads, to a part of a core. Returns the control group, to remove it after its end. */
async function limitProcess({ pid }: Service, cores: number): Promise<string> {
  const [periodUs, quotaUs] = [50_000, Math.round(50_000 * cores)];
  const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const group = join('/sys/fs/cgroup', isUnified ? '' : 'cpu', `chauffeur-bench-${pid}`);
  await mkdir(group);
  if (isUnified) await writeFile(join(group, 'cpu.max'), `${quotaUs} ${periodUs}`);
  else {
    await writeFile(join(group, 'cpu.cfs_period_us'), String(periodUs));
    await writeFile(join(group, 'cpu.cfs_quota_us'), String(quotaUs));
  }
  await writeFile(join(group, 'cgroup.procs'), String(pid));
  return group;
}

function duration(ofUnit: number): string {
  return ofUnit < 0.001 ? `${round(ofUnit * 1e6)} µs` : `${round(ofUnit * 1000)} ms`;
}

function round(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en');
}

async function measureRun(run: () => Promise<number>): Promise<Run> {
  const read = async () => {
    const { rows } = await database.pool.query<{ bytes: number }>(
      'select pg_database_size(current_database()) as bytes',
    );
    return {
      at: performance.now(),
      service: cpuSecondsOf(first.pid) + cpuSecondsOf(second.pid),
      database: cpuSecondsWithChildren(postmaster),
      bytes: rows[0]!.bytes,
    };
  };
  const before = await read();
  const count = await run();
  const after = await read();
  return {
    rate: (count / (after.at - before.at)) * 1000,
    serviceCpu: (after.service - before.service) / count,
    databaseCpu: (after.database - before.database) / count,
    bytes: (after.bytes - before.bytes) / count,
  };
}
