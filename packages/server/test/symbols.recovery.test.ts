// Processes killed while they store or compile symbols, and interrupted uploads: no inconsistent state remains.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sweepSymbols } from '../src/crash/symbols/sweep.job.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { findFreePort } from './setup/free-port.ts';
import { environmentWith, SERVER } from './setup/programs.ts';
import { beginRequest } from './setup/raw.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  addSymbols,
  NOTHING_STORED,
  sendSymbols,
  storedCountsOf,
  symbolBlobsOf,
  symText,
  untilCompiled,
} from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

/** Symbols for many addresses, so that storing and compiling take a while. */
const MANY_LINES = Buffer.from(
  Array.from({ length: 100_000 }, (_, i) => `FUNC ${(4096 + 16 * i).toString(16)} 8 0 f${i}\n`).join(''),
);

let server: TestServer;
let game: TestGame;
let buildId: string;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' }, role: 'api' });
});
after(() => server.stop());

async function startBuild(): Promise<void> {
  game = await makeGame(server);
  buildId = await register(server, game);
}

const largeText = (name: string) => Buffer.concat([symText({ file: name }), MANY_LINES]);

/** Starts another process of the service on the same database and folder; in role api it prints its URL. */
async function startProcess(role: 'api' | 'worker'): Promise<{ child: ChildProcess; url: string }> {
  const port = await findFreePort();
  const env = environmentWith({
    CHAUFFEUR_PORT: String(port),
    CHAUFFEUR_DATA: server.dataFolder,
    DATABASE_URL: server.database.url,
    CHAUFFEUR_DATABASE_CONNECTIONS: '8',
  });
  const child = spawn(process.execPath, [SERVER, role], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  if (role === 'api') await until(async () => (await fetch(`${url}/ready`).catch(() => null))?.ok);
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const aDayLater = () => ({ ...server.ctx, clock: { now: () => new Date(Date.now() + 25 * HOUR) } });

test('after a worker is killed while compiling, another worker compiles', async () => {
  await startBuild();
  await addSymbols(server, game, buildId, Buffer.concat([largeText('large.so'), ...Array(10).fill(MANY_LINES)]));
  const { child } = await startProcess('worker');
  await until(async () => (await symbolBlobsOf(server, game)).length > 1).finally(() => kill(child));
  const worker = await startServer({ shareWith: server, role: 'worker' });
  try {
    assert.deepEqual(
      (await untilCompiled(server, game, buildId)).map(({ state }) => state),
      ['compiled'],
    );
  } finally {
    await worker.stop();
  }
  await sweepSymbols(aDayLater());
  assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
});

test('a server killed while storing a zip leaves only blobs, which the sweeper removes', async () => {
  await startBuild();
  const pieces = Array.from({ length: 40 }, (_, i) => ({ name: `${i}.sym`, data: largeText(`m${i}.so`), method: 8 }));
  const zip = buildZip(pieces);
  const { child, url } = await startProcess('api');
  const upload = sendSymbols({ ...server, api: `${url}/api/v1` }, game, buildId, zip).catch(() => null);
  await until(async () => (await symbolBlobsOf(server, game)).length > 1).finally(() => kill(child));
  assert.equal(await upload, null, 'killed before it responded');
  const left = await storedCountsOf(server, game);
  assert.deepEqual([left.texts, left.symbols, left.blobs > 0], [0, 0, true]);
  assert.deepEqual(await readdir(join(server.dataFolder, 'spool')), []);
  await sweepSymbols(aDayLater());
  assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
  assert.equal((await addSymbols(server, game, buildId, zip)).length, 40);
  assert.deepEqual(await storedCountsOf(server, game), { texts: 40, symbols: 40, blobs: 40 });
});

test('an interrupted upload leaves nothing', async () => {
  await startBuild();
  const head = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.sym"\r\n\r\n';
  const socket = await beginRequest(server, {
    method: 'POST',
    path: '/api/v1/tool/upload/symbols',
    headers: [
      ...Object.entries(game.keyHeaders),
      ['Content-Type', 'multipart/form-data; boundary=B'],
      ['Content-Length', '99999999'],
    ],
    body: Buffer.concat([Buffer.from(head), largeText('a.so')]),
  });
  await until(async () => (await symbolBlobsOf(server, game)).length > 0);
  socket.destroy();
  await until(async () => (await symbolBlobsOf(server, game)).length === 0);
  assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
});
