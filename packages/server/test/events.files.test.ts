// Event files on a real server: each event is in them once, whatever interrupts their writing, until its device or game
// is deleted or its time is over.
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';
import { sql } from 'kysely';
import { expireFiles } from '../src/analytics/events/files/delete-files.job.ts';
import { removeDevicesNow } from '../src/analytics/events/files/remove-devices.job.ts';
import { writeEventFiles } from '../src/analytics/events/files/write-files.job.ts';
import { dropOldEvents } from '../src/analytics/events/keep/event-retention.job.ts';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import type { Attempt } from '../src/kernel/jobs/jobs.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { finishDeletions } from '../src/team/game-deletion/game-deletion.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { bytesOf } from './setup/event-files.ts';
import { assertAccepted, send } from './setup/events.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';
import { sha256 } from './setup/uploads.ts';

/** The hours are in the past, because hours of the future are never closed. */
const START = Date.parse('2024-03-01T00:00:00Z');
const RUN: Attempt = { number: 1, last: false, signal: new AbortController().signal };

type Record = { [column: string]: unknown };
type FileRecord = {
  uid: string;
  hour: string;
  part: number;
  blob_key: string;
  size: number;
  sha256: string;
  events: number;
};
type Game = SharedGame & { buildId: string };

let now = new Date(START);
let logged = '';
let server: TestServer;
let game: Game;
let s3: S3Server | null;

async function start(env: { [name: string]: string } = {}): Promise<TestServer> {
  logged = '';
  const log = createLog('warn', {
    write(line) {
      logged += line;
    },
  });
  return startServer({ role: 'api', log, clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0', ...env } });
}

async function makeGame(on = server): Promise<Game> {
  const shared = await makeSharedGame(on);
  return { ...shared, buildId: await addBuild(on, shared) };
}

before(async () => {
  s3 = await startS3();
  // Threads that are started later get the credentials as well.
  if (s3 !== null) Object.assign(process.env, s3.env);
});
beforeEach(async () => {
  now = new Date(START);
  // Hours are closed for all games of a server.
  server = await start();
  game = await makeGame();
});
afterEach(() => server.stop());
after(() => s3?.stop());

function call(
  path = '',
  options: { method?: string; body?: unknown } = {},
  of = game,
  on = server,
): Promise<ApiResponse> {
  return callAs(on, of.owner, `/games/${of.uid}/event-files${path}`, options);
}

const turn = (enabled: boolean, of = game, on = server) => call('', { method: 'PUT', body: { enabled } }, of, on);
const settings = async (of = game): Promise<Record> => (await call('', {}, of)).body.data;
/** Oldest first. */
const list = async (query = '', of = game, on = server): Promise<FileRecord[]> =>
  (await call(`/list${query}`, {}, of, on)).body.data.files.toReversed();

async function sendAt(time: number, events: object[], of = game, on = server): Promise<void> {
  now = new Date(time);
  const sender = { server: on, game: { uid: of.uid } as never, buildId: of.buildId };
  assertAccepted(await send(sender, { events }), events.length);
}

/** Writes the files of all hours before `time`. */
async function writeAt(time: number, on = server): Promise<void> {
  now = new Date(time + 6 * MINUTE);
  await writeEventFiles(on.ctx, {}, RUN);
}

function download({ uid }: FileRecord, of = game, on = server): Promise<Response> {
  return fetch(`${on.api}/games/${of.uid}/event-files/${uid}`, { headers: of.owner.headers });
}

/** The events of all files, in order. */
async function readAll(of = game, on = server): Promise<Record[]> {
  const events: Record[] = [];
  for (const file of await list('?limit=100', of, on)) {
    const bytes = Buffer.from(await (await download(file, of, on)).arrayBuffer());
    assert.deepEqual([bytes.length, sha256(bytes)], [file.size, file.sha256]);
    const read = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer, compressors: { ZSTD: decompress } });
    assert.equal(read.length, file.events);
    events.push(...read);
  }
  return events;
}

const decompress = (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes));
const namesIn = (events: Record[]) => events.map(({ event }) => event);

async function keysOf(gameId: string, on = server): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of on.ctx.blobs.list(`events/game_id=${gameId}/`)) keys.push(key);
  return keys.sort();
}

const ALL_COLUMNS = {
  event: 'boot_ok',
  device_uid: 'd1',
  session_id: 's1',
  event_id: 'e1',
  ms: 1500,
  timestamp: '2024-03-01T09:00:00.123Z',
  properties: { 'ключ "x" \\': 'a\tb\\n\n 😀\u2028', n: 1.5, none: null, yes: true },
};

/** What can happen to a file in the storage. */
const DAMAGES: readonly [string, (whole: Buffer) => Buffer][] = [
  ['empty', () => Buffer.alloc(0)],
  ['cut off', (whole) => whole.subarray(0, whole.length / 2)],
  ['replaced', (whole) => Buffer.alloc(whole.length, 'not a Parquet file ')],
  ['of other metadata', (whole) => Buffer.from(whole).fill(0xff, whole.length - 200, whole.length - 8)],
  ['of other contents', (whole) => Buffer.from(whole).fill(0x55, 4, 300)],
];

describe('event files', () => {
  test('have every event of the past hours once, with all columns', async () => {
    await turn(true);
    await sendAt(START + 10 * HOUR, [ALL_COLUMNS, { event: 'session_end', device_uid: 'd1', seconds: 60 }]);
    await sendAt(START + 11 * HOUR - 1, [{ event: 'last', anonymous: true }]);
    await sendAt(START + 12 * HOUR, [{ event: 'other' }]);
    await writeAt(START + 12 * HOUR);
    await writeAt(START + 12 * HOUR);
    const [boot, end, last, ...others] = await readAll();
    assert.deepEqual(boot, {
      received_at: new Date(START + 10 * HOUR),
      build_id: game.buildId,
      event: 'boot_ok',
      device_uid: 'd1',
      session_id: 's1',
      event_id: 'e1',
      anonymous: false,
      ms: 1500,
      seconds: null,
      client_time: new Date('2024-03-01T09:00:00.123Z'),
      properties: boot?.properties,
    });
    assert.deepEqual(JSON.parse(boot?.properties as string), ALL_COLUMNS.properties);
    assert.deepEqual([end?.seconds, last?.event, last?.anonymous, others], [60, 'last', true, []]);
    const prefix = `events/game_id=${game.uid}/day=2024-03-01`;
    assert.deepEqual(await keysOf(game.uid), [`${prefix}/10-000.parquet`]);
    await writeAt(START + 13 * HOUR);
    assert.deepEqual(await keysOf(game.uid), [`${prefix}/10-000.parquet`, `${prefix}/12-000.parquet`]);
    const { enabled, changed_by, written_until, files, events, prefix: stated } = await settings();
    assert.deepEqual(
      { enabled, changed_by, written_until, files, events, stated },
      {
        enabled: true,
        changed_by: 'Player',
        written_until: '2024-03-01T13:00:00.000Z',
        files: 2,
        events: 4,
        stated: `events/game_id=${game.uid}/`,
      },
    );
  });

  test('are read by DuckDB, with the game and the day as columns', async () => {
    await turn(true);
    await sendAt(START, [ALL_COLUMNS, { event: 'level', properties: { level: 3 } }]);
    await sendAt(START + DAY, [{ event: 'level', properties: { level: 4 } }, { event: 'level' }]);
    await writeAt(START + DAY + HOUR);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const files = join(server.dataFolder, 'blobs', 'events', `game_id=${game.uid}`, '**', '*.parquet');
    const read = async (query: string) =>
      (
        await connection.runAndReadAll(query.replace('FILES', `read_parquet('${files}', hive_partitioning = true)`))
      ).getRowObjectsJson();
    assert.deepEqual(
      await read(`select game_id, day, event, count(*)::integer as count, sum((properties->>'level')::integer)::integer as levels
        from FILES group by all order by day, event`),
      [
        { game_id: game.uid, day: '2024-03-01', event: 'boot_ok', count: 1, levels: null },
        { game_id: game.uid, day: '2024-03-01', event: 'level', count: 1, levels: 3 },
        { game_id: game.uid, day: '2024-03-02', event: 'level', count: 2, levels: 4 },
      ],
    );
    assert.deepEqual(
      await read(`select epoch_us(received_at) as us, build_id, ms, properties from FILES where event = 'boot_ok'`),
      [{ us: String(START * 1000), build_id: game.buildId, ms: 1500, properties: (await readAll())[0]?.properties }],
    );
    const types = await read('describe select * from FILES');
    assert.deepEqual(Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type])), {
      received_at: 'TIMESTAMP WITH TIME ZONE',
      build_id: 'VARCHAR',
      event: 'VARCHAR',
      device_uid: 'VARCHAR',
      session_id: 'VARCHAR',
      event_id: 'VARCHAR',
      anonymous: 'BOOLEAN',
      ms: 'INTEGER',
      seconds: 'INTEGER',
      client_time: 'TIMESTAMP WITH TIME ZONE',
      properties: 'VARCHAR',
      day: 'DATE',
      game_id: 'VARCHAR',
    });
    connection.closeSync();
    instance.closeSync();
  });

  test('are not written until they are turned on, then for stored events as well, and after a pause for all of it', async () => {
    await sendAt(START, [{ event: 'before' }]);
    await writeAt(START + HOUR);
    assert.deepEqual([(await settings()).enabled, await keysOf(game.uid)], [false, []]);
    await turn(true);
    await writeAt(START + HOUR);
    await turn(false);
    await sendAt(START + 2 * HOUR, [{ event: 'paused' }]);
    await writeAt(START + 3 * HOUR);
    assert.deepEqual(namesIn(await readAll()), ['before']);
    await turn(true);
    await sendAt(START + 3 * HOUR + 1, [{ event: 'after' }]);
    await writeAt(START + 4 * HOUR);
    assert.deepEqual(namesIn(await readAll()), ['before', 'paused', 'after']);
  });

  test('have each event once if two processes write them, or a process was killed before it recorded them', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'one' }, { event: 'two' }]);
    // What is left by a process that was killed: files that are not recorded.
    const prefix = `events/game_id=${game.uid}/day=2024-03-01`;
    for (const name of ['00-000', '00-001', '00-000-v1'])
      await server.ctx.blobs.put(`${prefix}/${name}.parquet`, bytesOf('partial'));
    now = new Date(START + HOUR + 6 * MINUTE);
    await Promise.all(Array.from({ length: 4 }, () => writeEventFiles(server.ctx, {}, RUN)));
    assert.deepEqual(await keysOf(game.uid), [`${prefix}/00-000.parquet`]);
    assert.deepEqual(namesIn(await readAll()), ['one', 'two']);
    await server.ctx.blobs.put(`${prefix}/00-007.parquet`, bytesOf('of a game that was turned off'));
    await expireFiles(server.ctx);
    assert.deepEqual(await keysOf(game.uid), [`${prefix}/00-000.parquet`]);
  });

  test('are written as usual after the clocks of the server and the database were a year ahead', async () => {
    // As in reality, both clocks are the real one.
    const start = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
    now = new Date(start);
    await turn(true);
    await sendAt(start, [{ event: 'before' }]);
    await writeAt(start + HOUR);
    await sendAt(Date.now(), [{ event: 'present' }]);
    await writeEventFiles(server.ctx, {}, RUN);
    const { db } = server.ctx;
    // What the hourly job leaves when it runs while the clocks are ahead.
    await changed(db, sql`update event_fence set closed_until = closed_until + interval '1 year'`);
    await changed(db, sql`update event_file_games set next_hour = next_hour + interval '1 year'`);
    await sendAt(Date.now(), [{ event: 'after' }]);
    const nextHour = new Date((Math.floor(Date.now() / HOUR) + 1) * HOUR);
    const received = await rows<{ received_at: Date }>(
      db,
      sql`select received_at from events where game_id = ${game.uid} and name = 'after'`,
    );
    assert.ok(received[0]!.received_at <= new Date(nextHour.getTime() + 1000), String(received[0]?.received_at));
    await writeEventFiles(server.ctx, {}, RUN);
    assert.ok(new Date((await settings()).written_until as string) <= nextHour);
    const [{ closed_until }] = (await rows(db, sql`select closed_until from event_fence`)) as [{ closed_until: Date }];
    assert.ok(closed_until <= nextHour);
  });

  test('of hours that have files from while the clock was ahead replace those', async () => {
    await turn(true);
    await sendAt(START + 2 * HOUR, [{ event: 'ahead' }]);
    await writeAt(START + 3 * HOUR);
    await changed(
      server.ctx.db,
      sql`update event_file_games set next_hour = ${new Date(START + HOUR)} where game_id = ${game.uid}`,
    );
    await writeAt(START + 4 * HOUR);
    assert.deepEqual(namesIn(await readAll()), ['ahead']);
  });

  test('of other games are written if those of one game cannot be, which are written later', async () => {
    const other = await makeGame();
    for (const each of [game, other]) {
      await turn(true, each);
      await sendAt(START, [{ event: each.uid }], each);
    }
    const folder = join(server.dataFolder, 'blobs', 'events', `game_id=${game.uid}`);
    await mkdir(dirname(folder), { recursive: true });
    await writeFile(folder, 'a file, no folder');
    await assert.rejects(writeAt(START + HOUR));
    assert.deepEqual([await list(), namesIn(await readAll(other))], [[], [other.uid]]);
    await rm(folder);
    await writeAt(START + HOUR);
    assert.deepEqual(namesIn(await readAll()), [game.uid]);
  });

  test('are not written while the storage of the game is full', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'one' }]);
    const limit = (mb: number | null) =>
      changed(
        server.ctx.db,
        sql`insert into game_quotas (game_id, storage_mb) values (${game.uid}, ${mb})
          on conflict (game_id) do update set storage_mb = excluded.storage_mb`,
      );
    await limit(1);
    await server.ctx.blobs.put(`events/game_id=${game.uid}/day=2024-02-01/00-000.parquet`, bytesOf('old'));
    await changed(
      server.ctx.db,
      sql`insert into event_files values (${game.uid}, gen_random_uuid(), '2024-02-01T00:00:00Z', 0,
        ${`events/game_id=${game.uid}/day=2024-02-01/00-000.parquet`}, ${2 ** 20}, '', 1, now())`,
    );
    await writeAt(START + HOUR);
    assert.deepEqual(
      [(await settings()).storage_full, (await list()).length, (await keysOf(game.uid)).length],
      [true, 1, 1],
    );
    await limit(2);
    await writeAt(START + HOUR);
    assert.deepEqual([(await settings()).storage_full, (await list()).length], [false, 2]);
    const usage = await callAs(server, game.owner, `/games/${game.uid}/usage`);
    assert.equal(usage.body.data.storage.event_files_bytes, (await settings()).bytes);
  });
});

describe('a deleted device', () => {
  test('is removed from files: they are written again under another key, or deleted', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'a', device_uid: 'left' }, { event: 'b', device_uid: 'stays' }, { event: 'c' }]);
    await sendAt(START + HOUR, [{ event: 'd', device_uid: 'left' }]);
    await sendAt(START + 2 * HOUR, [{ event: 'e', device_uid: 'stays' }]);
    await writeAt(START + 3 * HOUR);
    const before = await list();
    await callAs(server, game.owner, `/games/${game.uid}/devices/left`, { method: 'DELETE' });
    assert.equal((await settings()).devices_to_remove, 1);
    await removeDevicesNow(server.ctx, { gameId: game.uid }, RUN);
    assert.deepEqual(namesIn(await readAll()), ['b', 'c', 'e']);
    assert.equal((await settings()).devices_to_remove, 0);
    const folder = `events/game_id=${game.uid}/day=2024-03-01`;
    assert.deepEqual(await keysOf(game.uid), [`${folder}/00-000-v1.parquet`, `${folder}/02-000.parquet`]);
    const files = await list();
    assert.deepEqual([files[0]?.uid, files[1]], [before[0]?.uid, before[2]]);
    // What it sends later is kept.
    await sendAt(START + 3 * HOUR + 10 * MINUTE, [{ event: 'f', device_uid: 'left' }]);
    await writeAt(START + 4 * HOUR);
    assert.deepEqual(namesIn(await readAll()), ['b', 'c', 'e', 'f']);
  });

  for (const [damage, spoil] of DAMAGES) {
    test(`is removed from the other files if one is ${damage}, which is reported, and from that one once it is restored`, async () => {
      await turn(true);
      for (const hour of [0, 1, 2])
        await sendAt(START + hour * HOUR, [{ event: `left ${hour}`, device_uid: 'left' }, { event: `stays ${hour}` }]);
      await writeAt(START + 3 * HOUR);
      const key = `events/game_id=${game.uid}/day=2024-03-01/01-000.parquet`;
      const whole = await readFile(join(server.dataFolder, 'blobs', key));
      await writeFile(join(server.dataFolder, 'blobs', key), spoil(whole));
      await callAs(server, game.owner, `/games/${game.uid}/devices/left`, { method: 'DELETE' });
      await removeDevicesNow(server.ctx, { gameId: game.uid }, RUN);
      const folder = `events/game_id=${game.uid}/day=2024-03-01`;
      const written = [0, 2].map((hour) => `${folder}/0${hour}-000-v1.parquet`);
      assert.deepEqual(await keysOf(game.uid), [...written, key].toSorted());
      assert.equal((await settings()).devices_to_remove, 1);
      assert.match(logged, new RegExp(`"key":"${key}","msg":"an event file is damaged`));
      // Other events are written in the meantime.
      await sendAt(START + 4 * HOUR, [{ event: 'later' }]);
      await writeAt(START + 5 * HOUR);
      await writeFile(join(server.dataFolder, 'blobs', key), whole);
      await writeAt(START + 6 * HOUR);
      assert.deepEqual(namesIn(await readAll()), ['stays 0', 'stays 1', 'stays 2', 'later']);
      assert.equal((await settings()).devices_to_remove, 0);
    });
  }

  test('is removed by the hourly job if another process had the files', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'a', device_uid: 'left' }, { event: 'b' }]);
    await writeAt(START + HOUR);
    await callAs(server, game.owner, `/games/${game.uid}/devices/left`, { method: 'DELETE' });
    await turn(false);
    await writeAt(START + HOUR);
    assert.deepEqual(namesIn(await readAll()), ['b']);
  });
});

describe('the retention', () => {
  test('deletes files after 400 days by whole days, and developers delete them earlier', async () => {
    await turn(true);
    for (const day of [0, 1, 2]) await sendAt(START + day * DAY, [{ event: `day${day}` }]);
    await writeAt(START + 3 * DAY);
    now = new Date(START + 401 * DAY - 1);
    await expireFiles(server.ctx);
    assert.equal((await list()).length, 3);
    now = new Date(START + 401 * DAY);
    await expireFiles(server.ctx);
    assert.deepEqual([namesIn(await readAll()), (await keysOf(game.uid)).length], [['day1', 'day2'], 2]);
  });

  test('keeps expired events for up to a week until they are in files', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'one' }]);
    now = new Date(START + 31 * DAY);
    await dropOldEvents(server.ctx);
    await writeAt(START + 31 * DAY);
    assert.deepEqual(namesIn(await readAll()), ['one']);
    await dropOldEvents(server.ctx);
    const left = await rows(server.ctx.db, sql`select from events where game_id = ${game.uid}`);
    assert.equal(left.length, 0);
  });

  test('drops them after that week, and goes on with the events that are left', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'lost' }]);
    await sendAt(START + 9 * DAY, [{ event: 'kept' }]);
    now = new Date(START + 39 * DAY);
    await dropOldEvents(server.ctx);
    await writeAt(START + 39 * DAY);
    assert.deepEqual(namesIn(await readAll()), ['kept']);
  });

  test('ends with the game', async () => {
    await turn(true);
    await sendAt(START, [{ event: 'one' }]);
    await writeAt(START + HOUR);
    const { name } = (await callAs(server, game.owner, `/games/${game.uid}`)).body.data;
    const deletion = { method: 'POST', body: { name, password: 'correct horse battery' } };
    assert.equal((await callAs(server, game.owner, `/games/${game.uid}/deletion`, deletion)).status, 202);
    assert.equal((await call()).status, 404);
    now = new Date(now.getTime() + 2 * HOUR);
    await writeEventFiles(server.ctx, {}, RUN);
    await finishDeletions(server.ctx, {}, RUN);
    assert.deepEqual(await keysOf(game.uid), []);
  });
});

describe('access', () => {
  test('is for members of the game only, and each file belongs to one game', async () => {
    const other = await makeGame();
    for (const each of [game, other]) {
      await turn(true, each);
      await sendAt(START, [{ event: 'one' }], each);
    }
    await writeAt(START + HOUR);
    const [file] = await list();
    assert.ok(file);
    const stranger = await makePlayer(server);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['GET', '/list'],
      ['GET', `/${file.uid}`],
      ['DELETE', '?before=2027-01-01'],
    ] as const) {
      const body = method === 'PUT' ? { enabled: false } : undefined;
      const response = await callAs(server, stranger, `/games/${game.uid}/event-files${path}`, { method, body });
      assert.deepEqual([response.status, response.body.error?.code], [404, 4040], `${method} ${path}`);
      assert.equal((await callAs(server, null, `/games/${game.uid}/event-files${path}`, { method, body })).status, 401);
    }
    assert.equal((await download(file, other)).status, 404);
    assert.equal((await callAs(server, game.admin, `/games/${game.uid}/event-files/list`)).status, 200);
  });

  test('reads the list in pages and by days; ranges of a file are served', async () => {
    await turn(true);
    for (const day of [0, 1, 2]) await sendAt(START + day * DAY, [{ event: `day${day}` }]);
    await writeAt(START + 3 * DAY);
    const first = (await call('/list?limit=2')).body.data;
    const second = (await call(`/list?limit=2&cursor=${first.next_cursor}`)).body.data;
    assert.deepEqual([first.files.length, second.files.length, second.next_cursor], [2, 1, null]);
    assert.deepEqual(
      (await list('?from=2024-03-02&to=2024-03-02')).map(({ hour }) => hour),
      ['2024-03-02T00:00:00.000Z'],
    );
    for (const query of ['?from=2024-02-30', '?from=today', '?cursor=x', '?limit=0']) {
      assert.equal((await call(`/list${query}`)).status, 400, query);
    }
    const range = await fetch(`${server.api}/games/${game.uid}/event-files/${first.files[0].uid}`, {
      headers: { ...game.owner.headers, range: 'bytes=0-3' },
    });
    assert.deepEqual([range.status, await range.text()], [206, 'PAR1']);
  });
});

describe('in S3', () => {
  test('files are written, downloaded from the store, written again, and deleted', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const remote = await start({ CHAUFFEUR_BLOBS: s3.url });
    try {
      now = new Date(START);
      const studio = await makeGame(remote);
      await turn(true, studio, remote);
      const level = { event: 'level', device_uid: 'left', properties: { no: 1 } };
      await sendAt(START, [level, { event: 'quit', device_uid: 'stays' }], studio, remote);
      await writeAt(START + HOUR, remote);
      assert.deepEqual(namesIn(await readAll(studio, remote)), ['level', 'quit']);
      await callAs(remote, studio.owner, `/games/${studio.uid}/devices/left`, { method: 'DELETE' });
      await removeDevicesNow(remote.ctx, { gameId: studio.uid }, RUN);
      assert.deepEqual(namesIn(await readAll(studio, remote)), ['quit']);
      now = new Date(START + 402 * DAY);
      await expireFiles(remote.ctx);
      assert.deepEqual(await keysOf(studio.uid, remote), []);
    } finally {
      await remote.stop();
    }
  });
});
