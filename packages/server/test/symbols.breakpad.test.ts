// Symbols from Breakpad's own uploader: its form, credentials in the URL, and the status 200 that it requires for
// success.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { newId } from '../src/kernel/secrets/ids.ts';
import { fieldPart, filePart, multipartOf } from './setup/raw.ts';
import { type ApiResponse, makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { debugIdOf, NOTHING_STORED, storedCountsOf, symbolsOf, symText } from './setup/symbols.ts';
import { register, sha256 } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;
before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
});
after(() => server.stop());

async function makeBuild(): Promise<string> {
  game = await makeGame(server);
  return register(server, game);
}

function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

const basicOf = ({ keyHeaders }: TestGame) => basic(keyHeaders['x-access-token'], keyHeaders['x-secret-key']);

/** The fields that sym_upload takes from the MODULE line, in its order, followed by the file. */
function formOf(content: Uint8Array, further: Record<string, string> = {}) {
  const moduleFields = {
    code_file: 'libgame.so',
    cpu: 'x86_64',
    debug_file: 'libgame.so',
    debug_identifier: debugIdOf('libgame.so'),
    os: 'Linux',
    version: '1.2.3.4',
  };
  const fields = Object.entries({ ...moduleFields, ...further }).map(([name, value]) => fieldPart(name, value));
  return multipartOf([...fields, filePart(content, { name: 'symbol_file', filename: 'libgame.so.sym' })]);
}

function send(
  body: Uint8Array,
  buildId: string,
  headers: Record<string, string> = basicOf(game),
): Promise<ApiResponse> {
  return request(`${server.api}/tool/upload/symbols${buildId === '' ? '' : `?build_id=${buildId}`}`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=B', ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

describe('the form of sym_upload', () => {
  test('is accepted with 200 for the build that the URL names', async () => {
    const buildId = await makeBuild();
    const { status, body } = await send(formOf(symText()), buildId);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.data.symbols, await symbolsOf(server, game, buildId));
    assert.deepEqual(
      body.data.symbols.map(({ debug_file, checksum }: Record<string, string>) => [debug_file, checksum]),
      [['libgame.so', sha256(symText())]],
    );
  });

  test('can name the build itself and be sent again', async () => {
    const buildId = await makeBuild();
    for (let round = 0; round < 2; round += 1)
      assert.equal((await send(formOf(symText(), { build_id: buildId }), '')).status, 200);
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 1 });
  });

  test('is overridden by the content of the file where the two differ', async () => {
    const buildId = await makeBuild();
    const lie = { debug_file: 'other.so', debug_identifier: debugIdOf('other.so'), os: 'windows', cpu: 'arm' };
    await send(formOf(symText(), lie), buildId);
    const [symbol] = await symbolsOf(server, game, buildId);
    assert.deepEqual(
      [symbol?.debug_file, symbol?.debug_id, symbol?.os, symbol?.cpu],
      ['libgame.so', debugIdOf('libgame.so'), 'linux', 'x86_64'],
    );
  });

  test('is refused without a build, for an unknown build, with bytes that are not symbols, and with a wrong checksum', async () => {
    const buildId = await makeBuild();
    const cases = [
      [await send(formOf(symText()), ''), 4038],
      [await send(formOf(symText()), 'x'), 4039],
      [await send(formOf(symText()), newId()), 4039],
      [await send(formOf(Buffer.from('\x7fELF')), buildId), 4049],
      [await send(formOf(symText(), { checksum: 'a'.repeat(64) }), buildId), 4046],
    ] as const;
    for (const [{ body }, code] of cases) assert.equal(body.error?.code, code, JSON.stringify(body));
    assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
  });

  test('works when curl sends it with the credentials in the URL', async (t) => {
    const buildId = await makeBuild();
    const folder = await mkdtemp(join(tmpdir(), 'chauffeur-sym-upload-'));
    try {
      const file = join(folder, 'libgame.so.sym');
      await writeFile(file, symText());
      const { 'x-access-token': token, 'x-secret-key': secret } = game.keyHeaders;
      const address = `${server.api.replace('://', `://${token}:${secret}@`)}/tool/upload/symbols?build_id=${buildId}`;
      const fields = ['code_file=libgame.so', 'cpu=x86_64', `debug_identifier=${debugIdOf('libgame.so')}`];
      const forms = [...fields, `symbol_file=@${file}`].flatMap((field) => ['-F', field]);
      const args = ['-sS', '-o', join(folder, 'response'), '-w', '%{http_code}', '-H', 'Expect:', ...forms, address];
      const status = await run('curl', args);
      if (status === null) return t.skip('skipped: curl not found');
      assert.equal(status, '200');
      assert.equal((await symbolsOf(server, game, buildId)).length, 1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** The output of the program; null where it is not installed. */
async function run(program: string, args: readonly string[]): Promise<string | null> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = new Promise<null>((resolve) => child.on('error', () => resolve(null)));
  return Promise.race([failed, text(child.stdout)]);
}

describe('a deploy key as user and password', () => {
  const list = (headers: Record<string, string>) => request(`${server.api}/tool/builds`, { headers });

  test('works like the headers on every tool route', async () => {
    const buildId = await makeBuild();
    const { status, body } = await list(basicOf(game));
    assert.deepEqual([status, body.data.builds[0].build_id], [200, buildId]);
  });

  test('gets the same error codes, and is requested where it is missing', async () => {
    await makeBuild();
    const { 'x-access-token': token, 'x-secret-key': secret } = game.keyHeaders;
    const cases: [Record<string, string>, number][] = [
      [{}, 4020],
      [basic('', secret), 4020],
      [basic(token, ''), 4021],
      [basic('unknown', secret), 4022],
      [basic(token, 'wrong'), 4024],
      [basic(token, `${secret}:`), 4024],
      [basic('', ''), 4025],
      [{ authorization: 'Basic' }, 4025],
      [{ authorization: 'Basic %%%' }, 4025],
      [{ authorization: `Bearer ${token}` }, 4025],
    ];
    for (const [headers, code] of cases) {
      const response = await list(headers);
      assert.deepEqual([response.status, response.body.error?.code], [401, code], JSON.stringify(headers));
      assert.equal(response.headers.get('www-authenticate'), 'Basic realm="deploy key"');
    }
  });

  test('is ignored if the key is also in the headers, because it may be meant for a proxy', async () => {
    await makeBuild();
    assert.equal((await list({ ...game.keyHeaders, ...basic('proxy', 'user') })).status, 200);
    assert.equal((await list({ 'x-access-token': 'unknown', 'x-secret-key': 'x', ...basicOf(game) })).status, 401);
  });

  test('is ignored and never requested where no key is needed', async () => {
    await makeBuild();
    const shown = await request(`${server.api}/games/${game.uid}`, { headers: basic('proxy', 'user') });
    assert.equal(shown.headers.get('www-authenticate'), null);
    const published = await request(`${server.api}/public/crashes/${newId()}`, { headers: basic('proxy', 'user') });
    assert.equal(published.body.error?.code, 4040);
  });
});
