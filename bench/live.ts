// Measures what open pages that follow the changes of a game cost: memory of the server, processor time, statements of the
// database per second, and how long a change takes until all pages know of it: `--pages 5000 --seconds 20`. Two processes
// share the pages.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { openDatabase } from '../packages/server/src/kernel/database/db.ts';
import { startEmbeddedPostgres } from '../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { cpuSecondsOf, residentOf } from './process-watch.ts';
import { callApi, EMAIL, openGame, PASSWORD, PLATFORM } from './requests.ts';
import { createFolder, startService } from './service.ts';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '5000' }, seconds: { type: 'string', default: '20' } },
});
const [pages, seconds] = [Number(values.pages), Number(values.seconds)];
const CHANGES = 10;
/** PostgreSQL counts the transactions of a connection that became idle up to ten seconds later. */
const STATISTICS_MS = 12_000;
/** How many connections are opened at once. */
const OPENED_AT_ONCE = 100;

const dataFolder = join(await createFolder(), 'data');
const log = pino({ level: 'warn' });
const main = await startService(dataFolder);
const game = await openGame(main);
await main.stop();
const postgres = await startEmbeddedPostgres(dataFolder, log);
const database = openDatabase(postgres.url, { connections: 1, log, name: 'bench' });
const services = [
  await startService(dataFolder, { databaseUrl: postgres.url }),
  await startService(dataFolder, { databaseUrl: postgres.url, role: 'api' }),
];
const cookie = await signIn(services[0]!.url);

const readStatements = async () => {
  const { rows } = await database.pool.query<{ count: string }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.count);
};
const measure = async () => {
  const before = { statements: await readStatements(), cpu: services.map(({ pid }) => cpuSecondsOf(pid)) };
  await wait(seconds * 1000);
  const cpu = services.reduce((sum, { pid }, index) => sum + cpuSecondsOf(pid) - before.cpu[index]!, 0);
  return { statements: ((await readStatements()) - before.statements) / seconds, cpu: cpu / seconds };
};

const resident = () => services.reduce((sum, { pid }) => sum + residentOf(pid), 0);
await wait(STATISTICS_MS);
const idle = await measure();
const memoryBefore = resident();
let received = 0;
const sockets: Socket[] = [];
for (let opened = 0; opened < pages; opened += OPENED_AT_ONCE) {
  const batch = Array.from({ length: Math.min(OPENED_AT_ONCE, pages - opened) }, (_, no) =>
    openPage(services[no % services.length]!.url),
  );
  sockets.push(...(await Promise.all(batch)));
}
note(`${sockets.length} pages are open`);
await wait(STATISTICS_MS);
const memory = (resident() - memoryBefore) / pages;
const watched = await measure();

const delays: number[] = [];
for (let no = 0; no < CHANGES; no += 1) {
  received = 0;
  const begun = performance.now();
  await callApi(`${services[0]!.url}/api/v1/tool/upload/build`, {
    method: 'POST',
    headers: { ...game.keys, 'content-type': 'application/json' },
    body: JSON.stringify({ version: `2.${no}`, ...PLATFORM }),
  });
  while (received < pages) await wait(5);
  delays.push(performance.now() - begun);
}

print(`open pages = ${pages}, in ${services.length} processes`);
print(`transactions per second without pages = ${idle.statements.toFixed(1)}`);
printFigure('transactions per second added by pages', watched.statements - idle.statements, { below: 10 });
print(`cores used by both processes without pages = ${idle.cpu.toFixed(3)}, with pages = ${watched.cpu.toFixed(3)}`);
print(`memory per page = ${(memory / 1024).toFixed(1)} KiB`);
printFigure('seconds until all pages know of a change', medianOf(delays) / 1000, { below: 5 });

for (const socket of sockets) socket.destroy();
await Promise.all(services.map((service) => service.stop()));
await database.close();
await postgres.stop();

/** Resolves when the server has begun its response. */
function openPage(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /api/v1/games/${game.game}/changes?seconds=3600 HTTP/1.1\r\nHost: bench\r\nCookie: ${cookie}\r\n\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.once('data', (bytes) => {
      if (!bytes.toString().startsWith('HTTP/1.1 200')) reject(new Error(bytes.toString()));
      resolve(socket);
      socket.on('data', (more) => {
        if (more.includes('event: change')) received += 1;
      });
    });
  });
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}
