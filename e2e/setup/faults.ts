// The faults that the service has to survive under load. Each ends when the cause is gone; what was killed is started
// again, as systemd or Kubernetes would do.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { until } from '../../packages/server/test/setup/until.ts';
import { type FaultSite, MAX_CONNECTIONS, type ProcessName, type SmallDisk } from './fault-site.ts';
import { EVENTS_PER_BATCH, sendEvents } from './patient-load.ts';
import { startService } from './processes.ts';
import type { ProxyMode, TcpProxy } from './tcp-proxy.ts';

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

type More = { readonly acknowledged: number; readonly stored: number };

export type Fault = {
  readonly name: string;
  /** What is missing for it; null if nothing is. */
  readonly missing?: (site: FaultSite) => string | null;
  /** Whether upload sessions may expire, which they do after hours. */
  readonly expiresSessions?: boolean;
  /** Returns how many more events were acknowledged, and how many of them are stored. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most faults return nothing.
  readonly run: (site: FaultSite, random: Random) => Promise<More | void>;
};

/** How long a fault lasts. */
const lasting = (random: Random) => wait(500 + random() * 2000);

const kill = (process: ProcessName): Fault => ({
  name: `${process} killed`,
  async run(site, random) {
    await site.kill(process);
    await lasting(random);
    await site.start(process);
  },
});

type Part = 'database' | 's3' | 'clamd';
const NAMES: Readonly<Record<Part, string>> = { database: 'database', s3: 'S3', clamd: 'clamd' };

const behindProxy = (part: Part, what: string, cause: (proxy: TcpProxy, random: Random) => Promise<void>): Fault => ({
  name: `${NAMES[part]} ${what}`,
  missing: (site) => (site[part] === null ? 'clamd' : null),
  run: (site, random) => cause(site[part]!, random),
});

const during =
  (mode: ProxyMode) =>
  async (proxy: TcpProxy, random: Random): Promise<void> => {
    proxy.set(mode);
    await lasting(random);
    proxy.set('open');
  };

const networkFaults = (part: Part): Fault[] => [
  behindProxy(part, 'gone', during('gone')),
  behindProxy(part, 'slow', during('slow')),
  behindProxy(part, 'silent, then all connections lost', async (proxy, random) => {
    await during('silent')(proxy, random);
    proxy.cut();
  }),
  behindProxy(part, 'connections half-open', async (proxy) => proxy.abandon()),
  behindProxy(part, 'connections cut in the middle', async (proxy, random) => {
    for (let count = 0; count < 5; count += 1) {
      await wait(random() * 300);
      proxy.cut();
    }
  }),
];

const fullDisk = (name: string, diskOf: (site: FaultSite) => SmallDisk | null): Fault => ({
  name,
  missing: (site) => (diskOf(site) === null ? 'the right to mount a disk' : null),
  async run(site, random) {
    const disk = diskOf(site)!;
    await disk.fill();
    await lasting(random);
    await disk.free();
    // If it can't write its log, PostgreSQL recovers by itself, or stops when there is no space for the recovery either.
    const { postgres } = site;
    const canQuery = () =>
      postgres.query('select 1').then(
        () => true,
        () => false,
      );
    await until(async () => postgres.hasEnded() || (await canQuery()));
    if (postgres.hasEnded()) await postgres.restart();
  },
});

/** Upload sessions last for six hours by default. */
const SESSION_SECONDS = 6 * 3600;

const clockJump = (name: string, seconds: number): Fault => ({
  name,
  expiresSessions: seconds > SESSION_SECONDS,
  missing: ({ setClock }) => (setClock === null ? 'faketime' : null),
  async run({ setClock }, random) {
    await setClock?.(seconds);
    await wait(1500 + random() * 2000);
    await setClock?.(0);
    // The clock is read again after a second.
    await wait(1100);
  },
});

const DAY = 24 * 3600;
const SLOW_CLIENTS = 200;
const GAMES = 1000;

export const FAULTS: readonly Fault[] = [
  kill('first api'),
  kill('second api'),
  kill('worker'),
  {
    name: 'database killed',
    async run({ postgres }, random) {
      await postgres.kill();
      await lasting(random);
      await postgres.restart();
    },
  },
  ...networkFaults('database'),
  ...networkFaults('s3'),
  ...networkFaults('clamd'),
  fullDisk('disk of the database full', (site) => site.databaseDisk),
  fullDisk('disk of S3 full', (site) => site.s3Disk),
  {
    name: 'slow clients that neither send nor read',
    async run(site, random) {
      const sockets = await Promise.all(Array.from({ length: SLOW_CLIENTS }, (_, no) => openSlowClient(site, no)));
      await lasting(random);
      for (const socket of sockets) socket.destroy();
    },
  },
  clockJump('clock an hour ahead, then back', 3600),
  clockJump('clock an hour behind, then back', -3600),
  clockJump('clock two days ahead, then back', 2 * DAY),
  {
    name: 'another process on the same data folder, killed',
    async run({ environment }, random) {
      const other = await startService(environment.CHAUFFEUR_DATA!, environment, { role: 'api' });
      await lasting(random);
      await other.kill();
    },
  },
  {
    name: 'PostgreSQL at its connection limit',
    async run({ postgres, database }, random) {
      database.cut();
      const clients = Array.from({ length: MAX_CONNECTIONS }, () => {
        const client = new pg.Client({ connectionString: postgres.url });
        return client.on('error', () => undefined);
      });
      await Promise.allSettled(clients.map((client) => client.connect()));
      await lasting(random);
      await Promise.allSettled(clients.map((client) => client.end()));
    },
  },
  {
    name: 'jobs that always fail',
    async run({ postgres }) {
      for (const task of ['crashes:process', 'scans:scan', 'unknown:task'])
        for (const payload of ['{}', 'null', '{"gameId": 1, "reportId": "x", "fileId": [1]}'])
          await postgres.query(`select graphile_worker.add_job('${task}', '${payload}'::json)`);
    },
  },
  { name: `events of ${GAMES} games at once`, run: sendForManyGames },
];

/** A connection that sends a part of a request, or asks for a long page and doesn't read it. */
async function openSlowClient({ apis }: FaultSite, no: number): Promise<Socket> {
  const { hostname, port, host } = new URL(apis[no % apis.length]!);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const length = 'content-length: 100000\r\n\r\n{"events":';
  const requests = [
    'POST /api/v1/public/eve',
    `POST /api/v1/public/events HTTP/1.1\r\nhost: ${host}\r\n${length}`,
    `GET /api/v1/openapi.json HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(20),
    `POST /api/v1/tool/upload/files HTTP/1.1\r\nhost: ${host}\r\ncontent-type: multipart/form-data; boundary=B\r\n${length}`,
  ];
  socket.write(requests[no % requests.length]!);
  return socket;
}

/** The games and their builds are new each time. */
async function sendForManyGames({ postgres, apis }: FaultSite): Promise<More> {
  const targets = Array.from({ length: GAMES }, () => ({ gameUid: randomUUID(), buildId: randomUUID() }));
  const list = targets.map(({ gameUid, buildId }) => `('${gameUid}'::uuid, '${buildId}'::uuid)`).join();
  await postgres.query(`with target (game_id, build_id) as (values ${list}),
      game as (insert into all_games (game_id, owner_id, name, slug, visibility)
        select game_id, (select min(id) from users), 'A game', game_id::text, 'draft' from target)
    insert into builds (game_id, build_id, version, build_type, os, arch, channel, title, description, changelog)
    select game_id, build_id, '1.0.0', 'game', 'linux', 'x86_64', 'stable', '', '', '[]' from target`);
  await Promise.all(targets.map((target, no) => sendEvents(() => apis[no % apis.length]!, target)));
  const games = targets.map(({ gameUid }) => `'${gameUid}'`).join();
  const [row] = await postgres.query<{ stored: string }>(
    `select coalesce(sum(count), 0) as stored from event_hours where game_id in (${games})`,
  );
  return { acknowledged: GAMES * EVENTS_PER_BATCH, stored: Number(row?.stored) };
}
