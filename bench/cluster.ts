// Measures how many events and crash reports per second the server accepts with its tables on one PostgreSQL, and
// distributed by Citus over one, two and three servers. `CHAUFFEUR_TEST_CITUS_URL` names the coordinator of a cluster
// with two workers, as a superuser; with three servers, the coordinator has tables as well. The databases are measured
// in turn, and the ratios are medians of the rounds: `--rounds 5 --seconds 5 --connections 256 --games 8`. `--only
// crash` measures only loads with this word.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { migrate } from '../packages/server/src/kernel/database/migrate.ts';
import { migrateJobs } from '../packages/server/src/kernel/jobs/jobs.ts';
import {
  CITUS_URL,
  createCitusDatabase,
  createPlainDatabase,
  distributeDatabase,
  dropCitusDatabase,
  readCitusCluster,
  useCoordinatorForTables,
} from '../packages/server/test/setup/citus.ts';
import { urlOfDatabase } from '../packages/server/test/setup/database-url.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { addGame, type GameIds, openGame, postOf, REPORT, SESSION, SESSION_EVENTS, send } from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '256' },
    games: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
});
const [connections, seconds, gameCount] = [values.connections, values.seconds, values.games].map(Number) as [
  number,
  number,
  number,
];
/** The number that `chauffeur-server distribute` makes. */
const SHARDS = 32;
/** A million devices repeat in turn. */
const DEVICES = 1_000_000;

type Installation = { readonly name: string; readonly service: Service; readonly games: readonly GameIds[] };

/** What is sent, and to how many games at once. */
const LOADS = {
  'events of one game': { path: '/api/v1/public/events', body: SESSION, status: 202, games: 1, count: SESSION_EVENTS },
  'events of several games': {
    path: '/api/v1/public/events',
    body: SESSION,
    status: 202,
    games: gameCount,
    count: SESSION_EVENTS,
  },
  'crash reports of one game': { path: '/api/v1/public/crashes', body: REPORT, status: 201, games: 1, count: 1 },
  'crash reports of several games': {
    path: '/api/v1/public/crashes',
    body: REPORT,
    status: 201,
    games: gameCount,
    count: 1,
  },
} as const;
type LoadName = keyof typeof LOADS;
const loads = (Object.keys(LOADS) as LoadName[]).filter((name) => name.includes(values.only));

const log = pino({ level: 'warn' });
const url = process.env[CITUS_URL];
if (url === undefined) throw new Error(`set ${CITUS_URL} to the coordinator of a Citus cluster`);
const cluster = await readCitusCluster(url);
const folder = await createFolder();
const databases: string[] = [];
const installations: Installation[] = [];
try {
  installations.push(await install('one PostgreSQL', (name) => createPlainDatabase(cluster, name)));
  for (const [nodes, workers] of [
    [1, 1],
    [2, 2],
    [3, 2],
  ] as const) {
    const servers = { ...cluster, workers: cluster.workers.slice(0, workers) };
    const create = async (name: string) => {
      await createCitusDatabase(servers, name);
      if (nodes > workers) await useCoordinatorForTables(servers, name);
    };
    installations.push(await install(`Citus with ${nodes} ${nodes === 1 ? 'server' : 'servers'}`, create, true));
  }
  await measure();
} finally {
  for (const { service } of installations) await service.stop();
  for (const name of databases) await dropCitusDatabase(cluster, name);
  await rm(folder, { recursive: true, force: true });
}

/** Creates a database and starts a server on it. */
async function install(
  name: string,
  create: (database: string) => Promise<void>,
  isDistributed = false,
): Promise<Installation> {
  const database = `bench_${databases.length}`;
  databases.push(database);
  await create(database);
  const databaseUrl = urlOfDatabase(cluster.coordinator, database);
  const { pool, close } = openDatabase(databaseUrl, { connections: 2, log, name: 'bench' });
  await migrate(pool, log);
  await migrateJobs(pool);
  await close();
  if (isDistributed) await distributeDatabase(databaseUrl, log, SHARDS);
  const service = await startService(join(folder, database), { databaseUrl });
  const games: GameIds[] = [await openGame(service)];
  while (games.length < gameCount) games.push(await addGame(service));
  return { name, service, games };
}

async function measure(): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const load of loads) {
      for (const installation of installations) {
        const rate = await rateOf(installation, load, round);
        note(`round ${round}, ${installation.name}: ${rate.toFixed(0)} ${load} per second`);
        // The first round warms everything up.
        if (round === 0) continue;
        const key = `${installation.name}/${load}`;
        rates.set(key, [...(rates.get(key) ?? []), rate]);
      }
    }
  }
  for (const load of loads) {
    const [plain, ...distributed] = installations.map(({ name }) => ({ name, rates: rates.get(`${name}/${load}`)! }));
    print(`${load}, ${plain!.name}: ${medianOf(plain!.rates).toFixed(0)} per second`);
    for (const { name, rates: all } of distributed) {
      const ratio = medianOf(all.map((rate, round) => rate / plain!.rates[round]!));
      printFigure(`${load}, ${name} / ${plain!.name}`, ratio, { min: 0.5 });
    }
  }
}

/** Sends to all games at once and returns the total rate. */
async function rateOf({ service, games }: Installation, name: LoadName, round: number): Promise<number> {
  const { path, body, status, games: count, count: perRequest } = LOADS[name];
  const volume = { connections: Math.ceil(connections / count), seconds };
  const results = await Promise.all(
    games
      .slice(0, count)
      .map((ids) =>
        send(service, { request: postOf(path, ids, body), status, numbers: DEVICES, firstNo: round * 100_000 }, volume),
      ),
  );
  return results.reduce((sum, { rate }) => sum + rate, 0) * perRequest;
}
