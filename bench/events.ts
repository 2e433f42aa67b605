// Measures how many events per second the server accepts, one by one and in batches of a hundred, each stored before
// the response, and how fast it computes a game's health from 10,000,000 events of 1,000,000 devices. Options:
// `--runs 5 --seconds 3 --connections 512`. `--minutes 10` measures only the memory at full load.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { startEmbeddedPostgres } from '../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { insertRate, seedEvents } from './event-seed.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import type { LoadResult } from './load.ts';
import { CONSTANT, DEVICE, type GameIds, openGame, postOf, SESSION, SESSION_EVENTS, send, signIn } from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '512' },
    minutes: { type: 'string', default: '0' },
  },
});
const runs = Number(values.runs);
const volume = { connections: Number(values.connections), seconds: Number(values.seconds) };

const [EVENTS, DEVICES] = [10_000_000, 1_000_000];
const HEALTH_RUNS = 100;
const MIB = 1024 * 1024;
/** Warm-up before measuring memory, until the heap has its size and every query plan is cached. */
const SETTLE_SECONDS = 60;

const SINGLE = JSON.stringify({ events: [{ event: 'boot_ok', device_uid: DEVICE, ms: 0 }] }).replace(
  '"ms":0',
  '"ms":1@@@@',
);
const folder = await createFolder();
const log = pino({ level: 'warn' });
const service = await startService(join(folder, 'data'));
const postgres = await startEmbeddedPostgres(join(folder, 'data'), log);
const database = openDatabase(postgres.url, { connections: 2, log, name: 'bench' });
try {
  const ids = await openGame(service);
  const requests = {
    single: { request: postOf('/api/v1/public/events', ids, SINGLE), status: 202, numbers: DEVICES },
    session: { request: postOf('/api/v1/public/events', ids, SESSION), status: 202, numbers: DEVICES },
  };
  if (Number(values.minutes) > 0) await watchMemory(requests.session);
  else {
    const empty = await compare(requests);
    note(`inserting ${EVENTS} events of ${DEVICES} devices`);
    await seedEvents(database.pool, ids, { events: EVENTS, devices: DEVICES });
    await measureHealth(service, ids);
    const full = await measureRate(requests.session);
    printFigure('sessions with all events stored / with none', full / empty, { min: 0.9 });
  }
} finally {
  await database.close();
  await postgres.stop();
  await service.stop();
  // After minutes of full load, the last checkpoint of PostgreSQL can take longer than the service waits for it.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 1000 });
}

type Requests = Record<'single' | 'session', { request: string; status: number; numbers: number }>;

/** Returns the rate of sessions. */
async function compare({ single, session }: Requests): Promise<number> {
  const results: Record<'constant' | 'single' | 'session', LoadResult[]> = { constant: [], single: [], session: [] };
  const inserted: number[] = [];
  for (let no = 1; no <= runs; no += 1) {
    results.constant.push(await send(service, { request: CONSTANT, status: 200 }, volume));
    results.single.push(await send(service, { ...single, firstNo: results.single.at(-1)?.sent ?? 0 }, volume));
    results.session.push(await send(service, { ...session, firstNo: results.session.at(-1)?.sent ?? 0 }, volume));
    inserted.push(await insertRate(database.pool, volume.seconds));
    const rates = Object.entries(results).map(([name, all]) => `${name} ${all.at(-1)!.rate.toFixed(0)}/s`);
    note(`run ${no}: ${rates.join(', ')}; rows by PostgreSQL alone ${inserted.at(-1)!.toFixed(0)}/s`);
  }
  const rateOf = (name: keyof typeof results) => medianOf(results[name].map(({ rate }) => rate));
  const p99Of = (name: keyof typeof results) => medianOf(results[name].map(({ p99Ms }) => p99Ms));
  const [constant, one, sessions] = [rateOf('constant'), rateOf('single'), rateOf('session')];
  print(`constant ${constant.toFixed(0)}/s, single events ${one.toFixed(0)}/s (medians of ${runs})`);
  print(
    `p99 at ${volume.connections} connections: single ${p99Of('single').toFixed(0)} ms, sessions ${p99Of('session').toFixed(0)} ms`,
  );
  printFigure('single events / constant', one / constant, { min: 0.45 });
  printFigure('events a second in batches of 100', sessions * SESSION_EVENTS, { min: 120_000 }, { digits: 0 });
  print(
    `the same / rows that PostgreSQL alone inserts by unnest of 1,000 = ${((sessions * SESSION_EVENTS) / medianOf(inserted)).toFixed(2)}`,
  );
  return sessions;
}

async function measureRate(session: Requests['session']): Promise<number> {
  const rates: number[] = [];
  for (let no = 0; no < runs; no += 1)
    rates.push((await send(service, { ...session, firstNo: no * 100_000 }, volume)).rate);
  return medianOf(rates);
}

async function measureHealth(server: Service, { game, build }: GameIds): Promise<void> {
  const get = await signIn(server);
  for (const [name, path] of [
    ['health of the game', `/games/${game}/health`],
    ['health of the build', `/games/${game}/builds/${build}/health`],
  ] as const) {
    const times: number[] = [];
    for (let run = 0; run < HEALTH_RUNS; run += 1) {
      const begun = performance.now();
      await get(path);
      times.push(performance.now() - begun);
    }
    const p95 = times.toSorted((a, b) => a - b)[Math.ceil(HEALTH_RUNS * 0.95) - 1] ?? Number.NaN;
    printFigure(`${name}, p95`, p95, { below: 50 }, { unit: ' ms', digits: 1 });
  }
}

/** Compares the resident memory of the service before and after minutes of full load, following a warm-up. */
async function watchMemory(session: Requests['session']): Promise<void> {
  await send(service, session, { ...volume, seconds: SETTLE_SECONDS });
  const before = await residentMib(service.pid);
  const p99s: number[] = [];
  let sent = 0;
  for (let minute = 1; minute <= Number(values.minutes); minute += 1) {
    const result = await send(service, { ...session, firstNo: sent }, { ...volume, seconds: 60 });
    sent = result.sent;
    p99s.push(result.p99Ms);
    note(
      `minute ${minute}: ${(result.rate * SESSION_EVENTS).toFixed(0)} events a second, p99 ${result.p99Ms.toFixed(0)} ms, ${(await residentMib(service.pid)).toFixed(0)} MiB`,
    );
  }
  const after = await residentMib(service.pid);
  printFigure(`memory after ${values.minutes} minutes / before`, after / before, { below: 1.2 });
  printFigure('p99, median of the minutes', medianOf(p99s), { below: 250 }, { unit: ' ms', digits: 0 });
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / MIB;
}
