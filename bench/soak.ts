// Runs the server for half an hour at half of its peak, with events, crash reports, uploads and readers at once, and
// shows whether memory, handles, connections, tables and response times stay the same. The peak is measured first, with
// clients that send as fast as they get responses.
// `--minutes 30 --share 0.5 --peak-seconds 30 --picture docs/images/soak.svg`.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import pino from 'pino';
import { openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { startEmbeddedPostgres } from '../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { formOf, smallZip, uploadFields } from '../packages/server/test/setup/uploads.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { prepareDump } from './prepare-dump.ts';
import { residentOf } from './process-watch.ts';
import { callApi, DEVICE, type OpenedGame, openGame, PLATFORM, SESSION, SESSION_EVENTS, signIn } from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';
import { type Chart, drawCharts } from './soak-charts.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    share: { type: 'string', default: '0.5' },
    'peak-seconds': { type: 'string', default: '30' },
    picture: { type: 'string' },
  },
});
const [minutes, share, peakSeconds] = [values.minutes, values.share, values['peak-seconds']].map(Number) as [
  number,
  number,
  number,
];

const MIB = 1024 * 1024;
const [DUMP_BYTES, ZIP_BYTES] = [500_000, 20 * MIB];
const DEVICES = 20_000;
const SAMPLE_MS = Math.min(5000, minutes * 6000);
/** The time that a row of the table covers. */
const STEP_MINUTES = 5;
/** The first minutes, in which caches fill, are not compared with the last ones. */
const SETTLE_MINUTES = Math.min(5, minutes / 4);
/** Rows of these tables are updated all the time, so they would grow if PostgreSQL could not keep up. */
const UPDATED_TABLES = [
  'event_devices',
  'event_device_days',
  'event_hours',
  'event_times',
  'event_games',
  'crash_groups',
];

type Kind = 'events' | 'crash reports' | 'uploads' | 'reads';
type Client = {
  /** How many send at once while the peak is measured. */
  readonly connections: number;
  /** Sends the request with this number; rejects unless it succeeds. */
  readonly send: (no: number) => Promise<void>;
};
type Clients = Record<Kind, Client>;
type Rates = Record<Kind, number>;
type Sample = {
  minute: number;
  residentMib: number;
  handles: number;
  connections: number;
  tableMib: number;
  deadShare: number;
  waitingJobs: number;
};

/** The zips are made in advance, because making them takes more of the processor than receiving them. */
const ZIPS = Array.from({ length: 3 }, () => {
  const zip = smallZip('data.bin', randomBytes(ZIP_BYTES));
  return { zip, fields: uploadFields('', zip) };
});

/** The number of the next request. */
let sent = 0;

const folder = await createFolder();
const agent = new Agent({ keepAlive: true });
const log = pino({ level: 'warn' });
const service = await startService(join(folder, 'data'));
const postgres = await startEmbeddedPostgres(join(folder, 'data'), log);
const database = openDatabase(postgres.url, { connections: 1, log, name: 'bench' });
try {
  const clients = await prepare(service);
  // Warms everything up.
  await measureRates(clients, peakSeconds / 3);
  const peak = await measureRates(clients, peakSeconds);
  print(`peak: ${describe(peak)} a second`);
  await soak(clients, peak);
} finally {
  agent.destroy();
  await database.close();
  await postgres.stop();
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 1000 });
}

async function prepare(server: Service): Promise<Clients> {
  const game = await openGame(server);
  const api = `${server.url}/api/v1`;
  const dump = await prepareDump(api, game, folder, DUMP_BYTES);
  const get = await signIn(server);
  const ids = { 'x-app-id': game.game, 'x-build-id': game.build, 'content-type': 'application/json' };
  const pages = ['health', 'crash-groups', 'crashes', 'builds', 'events/names', `builds/${game.build}/health`];
  return {
    events: {
      connections: 16,
      send: async (no) => {
        const device = `device-${String(no % DEVICES).padStart(12, '0')}`;
        await send(`${api}/public/events`, 'POST', ids, SESSION.replaceAll(DEVICE, device));
      },
    },
    'crash reports': {
      connections: 2,
      send: async () => {
        const opened = await send(`${api}/public/crashes`, 'POST', ids, JSON.stringify({ has_dump: true }));
        const { dump: target } = JSON.parse(opened).data.uploads;
        await send(target.url, 'PUT', {}, dump);
      },
    },
    uploads: { connections: 1, send: (no) => ship(api, game, no) },
    reads: {
      connections: 2,
      send: async (no) => {
        await get(`/games/${game.game}/${pages[no % pages.length]}`);
      },
    },
  };
}

/** Registers a build and uploads a zip for it. */
async function ship(api: string, { keys }: OpenedGame, no: number): Promise<void> {
  const { build_id: build } = await callApi<{ build_id: string }>(`${api}/tool/upload/build`, {
    method: 'POST',
    headers: { ...keys, 'content-type': 'application/json' },
    body: JSON.stringify({ version: `2.0.${no}`, ...PLATFORM }),
  });
  const { zip, fields } = ZIPS[no % ZIPS.length]!;
  const form = formOf({ ...fields, ...PLATFORM, build_id: build }, zip);
  await callApi(`${api}/tool/upload/files`, { method: 'POST', headers: keys, body: form });
}

async function send(url: string, method: string, headers: OutgoingHttpHeaders, body: string | Buffer): Promise<string> {
  const sending = request(url, { method, agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
  sending.end(body);
  const [response] = await once(sending, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (response.statusCode >= 300) throw new Error(`${method} ${url} returned ${response.statusCode}: ${text}`);
  return text;
}

/** How many requests of each kind succeed per second if each client sends the next one after the response. */
async function measureRates(clients: Clients, seconds: number): Promise<Rates> {
  const end = performance.now() + seconds * 1000;
  const rates = Object.entries(clients).map(async ([kind, client]) => {
    let count = 0;
    const loop = async () => {
      for (; performance.now() < end; count += 1) await client.send(sent++);
    };
    await Promise.all(Array.from({ length: client.connections }, loop));
    return [kind, count / seconds] as const;
  });
  return Object.fromEntries(await Promise.all(rates)) as Rates;
}

/** The response times in each minute, in milliseconds from the time at which the request was due. */
type Times = Record<Kind, number[][]>;

async function soak(clients: Clients, peak: Rates): Promise<void> {
  const begun = performance.now();
  const end = begun + minutes * 60_000;
  const minuteOf = (time: number) => (time - begun) / 60_000;
  const ofMinutes = () => Array.from({ length: Math.ceil(minutes) }, (): number[] => []);
  const times: Times = { events: ofMinutes(), 'crash reports': ofMinutes(), uploads: ofMinutes(), reads: ofMinutes() };
  const failures: string[] = [];
  const running = new Set<Promise<void>>();
  const due = async (kind: Kind, at: number) => {
    try {
      await clients[kind].send(sent++);
      times[kind][Math.floor(minuteOf(at))]!.push(performance.now() - at);
    } catch (error) {
      failures.push(`${kind}: ${error}`);
    }
  };
  const loops = (Object.keys(clients) as Kind[]).map(async (kind) => {
    const pause = 1000 / (peak[kind] * share);
    for (let at = begun; at < end; at += pause) {
      const early = at - performance.now();
      if (early > 0) await wait(early);
      const sending = due(kind, at).finally(() => running.delete(sending));
      running.add(sending);
    }
  });
  const samples: Sample[] = [];
  while (performance.now() < end) {
    await wait(SAMPLE_MS);
    samples.push(await sample(minuteOf(performance.now())));
    if (samples.length % 12 === 0) note(`minute ${samples.length / 12}: ${JSON.stringify(samples.at(-1))}`);
  }
  await Promise.all([...loops, ...running]);
  report(times, samples, peak, failures);
}

async function sample(minute: number): Promise<Sample> {
  const { rows } = await (database.pool as pg.Pool).query(
    `select (select count(*) from pg_stat_activity where backend_type = 'client backend')::integer as connections,
      (select sum(pg_total_relation_size(name::regclass)) from unnest($1::text[]) as name)::float8 / 1048576 as "tableMib",
      (select sum(n_dead_tup)::float8 / greatest(1, sum(n_dead_tup + n_live_tup)) from pg_stat_user_tables
        where relname = any($1)) as "deadShare",
      (select count(*) from graphile_worker._private_jobs)::integer as "waitingJobs"`,
    [UPDATED_TABLES],
  );
  return {
    minute,
    residentMib: residentOf(service.pid) / MIB,
    handles: readdirSync(`/proc/${service.pid}/fd`).length,
    ...rows[0],
  };
}

function report(times: Times, samples: readonly Sample[], peak: Rates, failures: readonly string[]): void {
  const kinds = Object.keys(times) as Kind[];
  print(`${share} of the peak: ${describe(peak, share)} a second`);
  print(
    `| Minutes | ${kinds.map((kind) => `${kind}, p99`).join(' | ')} | Memory | Handles | Connections | Updated tables | Dead rows | Jobs |`,
  );
  print(`|---|${'---|'.repeat(kinds.length + 6)}`);
  const inMinutes = (from: number, to: number) => samples.filter(({ minute }) => minute > from && minute <= to);
  const median = (some: readonly Sample[], value: (sample: Sample) => number) => medianOf(some.map(value));
  const p99 = (kind: Kind, from: number, to: number) =>
    percentile(times[kind].slice(Math.floor(from), Math.ceil(to)).flat(), 0.99);
  for (let from = 0; from < minutes; from += STEP_MINUTES) {
    const to = Math.min(minutes, from + STEP_MINUTES);
    const some = inMinutes(from, to);
    const cells = [
      `${from} to ${to}`,
      ...kinds.map((kind) => `${p99(kind, from, to).toFixed(0)} ms`),
      `${median(some, ({ residentMib }) => residentMib).toFixed(0)} MiB`,
      median(some, ({ handles }) => handles).toFixed(0),
      median(some, ({ connections }) => connections).toFixed(0),
      `${median(some, ({ tableMib }) => tableMib).toFixed(0)} MiB`,
      `${(median(some, ({ deadShare }) => deadShare) * 100).toFixed(0)}%`,
      median(some, ({ waitingJobs }) => waitingJobs).toFixed(0),
    ];
    print(`| ${cells.join(' | ')} |`);
  }
  const [early, late] = [
    [SETTLE_MINUTES, SETTLE_MINUTES * 2],
    [minutes - SETTLE_MINUTES, minutes],
  ] as const;
  const growth = (value: (sample: Sample) => number) =>
    median(inMinutes(...late), value) / median(inMinutes(...early), value);
  printFigure(
    'memory, last / first minutes',
    growth(({ residentMib }) => residentMib),
    { below: 1.1 },
  );
  printFigure(
    'handles, last / first minutes',
    growth(({ handles }) => handles),
    { below: 1.1 },
  );
  printFigure(
    'connections, last / first minutes',
    growth(({ connections }) => connections),
    { below: 1.1 },
  );
  printFigure(
    'updated tables, last / first minutes',
    growth(({ tableMib }) => tableMib),
    { below: 1.25 },
  );
  for (const kind of kinds)
    printFigure(`p99 of ${kind}, last / first minutes`, p99(kind, ...late) / p99(kind, ...early), { below: 1.5 });
  printFigure('failed requests', failures.length, { below: 1 }, { digits: 0 });
  for (const failure of failures.slice(0, 5)) note(failure);
  if (values.picture !== undefined) void writeFile(values.picture, drawCharts(chartsOf(times, samples)));
}

function chartsOf(times: Times, samples: readonly Sample[]): Chart[] {
  const line = (name: string, value: (sample: Sample) => number) => ({
    name,
    points: samples.map((point) => [point.minute, value(point)] as const),
  });
  const p99s = (Object.keys(times) as Kind[]).map((kind) => ({
    name: kind,
    points: times[kind].map((ofMinute, minute) => [minute + 0.5, percentile(ofMinute, 0.99)] as const),
  }));
  return [
    { title: 'p99 of responses', unit: 'ms', lines: p99s },
    { title: 'Memory of the server', unit: 'MiB', lines: [line('resident', ({ residentMib }) => residentMib)] },
    {
      title: 'Handles and connections',
      unit: '',
      lines: [line('handles', ({ handles }) => handles), line('connections', ({ connections }) => connections)],
    },
    { title: 'Tables with updated rows', unit: 'MiB', lines: [line('size', ({ tableMib }) => tableMib)] },
  ];
}

function percentile(some: readonly number[], part: number): number {
  return some.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(some.length * part) - 1)] ?? Number.NaN;
}

function describe(rates: Rates, factor = 1): string {
  return Object.entries(rates)
    .map(([kind, rate]) => {
      const count = rate * factor * (kind === 'events' ? SESSION_EVENTS : 1);
      return `${count >= 10 ? count.toFixed(0) : count.toFixed(2)} ${kind}`;
    })
    .join(', ');
}
