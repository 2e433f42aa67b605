// The target of the abuse test: a server in its own process with games, and a search for what an attack left behind.
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { rows } from '../../packages/server/src/kernel/database/db.ts';
import { setUserOperator } from '../../packages/server/src/people/accounts/accounts.ts';
import { type AgentKey, makeKey } from '../../packages/server/test/setup/agents.ts';
import {
  makeGame,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from '../../packages/server/test/setup/server.ts';
import { type ServiceProcess, startService } from './processes.ts';

/** Short, so that the server closes half-open connections during the test. */
const IDLE_SECONDS = 1;
const LIMITS = [
  'BUGS',
  'UPLOADS',
  'SESSIONS',
  'CHUNKS',
  'SYMBOL_UPLOADS',
  'MEDIA',
  'CRASHES',
  'CRASH_UPLOADS',
  'PUBLIC',
  'SIGN_INS',
  'MAIL_REQUESTS',
  'UNCONFIRMED_MAILS',
  'READS',
  'AGENTS',
];

export type Target = {
  readonly service: ServiceProcess;
  /** The same database and folder, at the service's address: what the helpers of the server's tests take. */
  readonly server: TestServer;
  /** The game of the deploy key. */
  readonly game: TestGame;
  /** Of the signed-in person, who is an operator, too: a key that they issue must not revoke that of `game`. */
  readonly ownGame: TestGame;
  readonly session: { readonly cookie: string };
  /** A personal key of the owner of `game`, because requests of the session can revoke its keys. */
  readonly agent: AgentKey;
  /** Fails if the original process has ended. */
  assertAlive(context: string): void;
  /** Fails unless the original process responds that it is ready. */
  assertReady(context: string): Promise<void>;
  /** Returns leftover temporary files, unreferenced blobs, rows without a blob, locks, open files and connections. */
  findRemains(): Promise<string[]>;
  stop(): Promise<void>;
};

export async function startTarget(): Promise<Target> {
  const unlimited = Object.fromEntries(LIMITS.map((name) => [`CHAUFFEUR_LIMIT_${name}`, '0']));
  const inside = await startServer({ role: 'admin' });
  const temporary = join(inside.dataFolder, 'tmp');
  await mkdir(temporary);
  const service = await startService(inside.dataFolder, {
    ...unlimited,
    DATABASE_URL: inside.database.url,
    CHAUFFEUR_UPLOAD_IDLE_SECONDS: String(IDLE_SECONDS),
    TMPDIR: temporary,
  });
  const server: TestServer = { ...inside, url: service.url, api: service.api };
  const [game, ownGame] = [await makeGame(server), await makeGame(server)];
  await setUserOperator(inside.ctx, ownGame.owner.email, true);
  const session = await signIn(server, ownGame.owner);
  const assertAlive = (context: string) => {
    if (service.hasEnded()) throw new Error(`${context}: the service has ended:\n${service.output().slice(-4000)}`);
  };
  return {
    service,
    server,
    game,
    ownGame,
    session,
    agent: await makeKey(server, await signIn(server, game.owner)),
    assertAlive,
    async assertReady(context) {
      assertAlive(context);
      const { status } = await fetch(`${service.url}/ready`);
      if (status !== 200) throw new Error(`${context}: the service is not ready:\n${service.output().slice(-4000)}`);
    },
    findRemains: () => findRemains(server, service, temporary),
    async stop() {
      const code = await service.stop();
      await inside.stop();
      if (code !== 0) throw new Error(`the service ended with code ${code}:\n${service.output().slice(-4000)}`);
    },
  };
}

async function findRemains(server: TestServer, { pid, url }: ServiceProcess, temporary: string): Promise<string[]> {
  const [files, spooled, locks, open, connections] = await Promise.all([
    filesBelow(temporary),
    filesBelow(join(server.dataFolder, 'spool')),
    rows(
      server.ctx.db,
      sql<{ session_id: string }>`select session_id from upload_sessions where lock_token is not null`,
    ),
    openFiles(pid, server.dataFolder),
    abandonedConnections(Number(new URL(url).port)),
  ]);
  const remains = [
    ...[...files, ...spooled].map((name) => `temporary file ${name}`),
    ...locks.map(({ session_id: id }) => `lock of session ${id}`),
    ...open.map((name) => `open file ${name}`),
    ...(connections === 0 ? [] : [`${connections} connections whose client is gone`]),
  ];
  if (remains.length > 0) return remains;
  // All blobs are listed only once everything else is gone, because the caller repeats this while it waits.
  return (await strayBlobs(server)).map((key) => `blob ${key}`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Finds unreferenced blobs and rows without a blob. Reads the columns from the catalog, so new columns are included.
 */
async function strayBlobs({ ctx }: TestServer): Promise<string[]> {
  const columns = await rows(
    ctx.db,
    sql<{ table: string; column: string }>`select c.table_name as table, c.column_name as column
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'text' and c.column_name ~ '(^|_)(blob|original|cache|dump|event|log|stack|difference|pack)_key$'`,
  );
  const named = new Set<string>();
  for (const { table, column } of columns) {
    const keys = await rows(
      ctx.db,
      sql<{
        key: string;
      }>`select ${sql.ref(column)} as key from ${sql.table(table)} where ${sql.ref(column)} is not null`,
    );
    for (const { key } of keys) named.add(key);
  }
  const sessions = await rows(ctx.db, sql<{ key: string }>`select blob->>'key' as key from upload_sessions`);
  for (const { key } of sessions) named.add(key);
  const attachments = await rows(
    ctx.db,
    sql<{ key: string }>`select file->>'key' as key from (
        select attachments from crash_reports union all select attachments from sentry_parts
      ) as owners, jsonb_array_elements(attachments || jsonb_path_query_array(attachments, '$[*].image')) as file
      where file->>'key' is not null`,
  );
  for (const { key } of attachments) named.add(key);
  const copies = await rows(
    ctx.db,
    sql<{ key: string; width: number }>`select blob_key as key, unnest(copy_widths) as width from media`,
  );
  for (const { key, width } of copies) named.add(`${key.replace(/\.\w+$/, '')}.${width}.webp`);
  const kept = new Set<string>();
  for await (const { key } of ctx.blobs.list('')) kept.add(key);
  return [...kept.symmetricDifference(named)];
}

/** Returns the files in the data folder that the process has open, including deleted ones. */
async function openFiles(pid: number, dataFolder: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
  return links.filter((link) => link.startsWith(dataFolder));
}

type Connection = { readonly local: string; readonly remote: string; readonly state: string; readonly inode: string };

const ESTABLISHED = '01';
const CLOSE_WAIT = '08';

/** Returns the server's open connections that this process, its only client, has already closed. */
async function abandonedConnections(port: number): Promise<number> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1);
  const connections = lines.map((line): Connection => {
    const [, local = '', remote = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
    return { local, remote, state, inode };
  });
  const ourFiles = await readdir('/proc/self/fd');
  const ours = new Set(await Promise.all(ourFiles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))));
  const kept = new Set(connections.filter(({ inode }) => ours.has(`socket:[${inode}]`)).map(({ local }) => local));
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return connections.filter(
    ({ local, remote, state }) => local.endsWith(end) && [ESTABLISHED, CLOSE_WAIT].includes(state) && !kept.has(remote),
  ).length;
}
