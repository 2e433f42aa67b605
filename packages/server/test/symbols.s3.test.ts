// Symbols with their blobs on a real S3 server: stored, compiled, copied to this machine once, and read.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MIB } from '@chauffeur/contract/limits';
import { openSymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import { findSymbols, openCacheFile } from '../src/crash/symbols/symbols.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  addSymbols,
  debugIdOf,
  NOTHING_STORED,
  sendSymbols,
  storedCountsOf,
  symText,
  untilCompiled,
} from './setup/symbols.ts';
import { register, sha256 } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

describe('symbols on S3', () => {
  let s3: S3Server | null;
  let server: TestServer;
  let game: TestGame;
  let buildId: string;
  before(async () => {
    s3 = await startS3();
    if (s3 === null) return;
    Object.assign(process.env, s3.env);
    server = await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } });
    game = await makeGame(server);
    buildId = await register(server, game);
  });
  after(async () => {
    await server?.stop();
    await s3?.stop();
  });

  test('a refused upload leaves no object', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const zip = buildZip([
      { name: 'a.sym', data: symText() },
      { name: 'b.txt', data: 'x' },
    ]);
    assert.equal((await sendSymbols(server, game, buildId, zip)).body.error?.code, 4049);
    assert.equal(
      (await sendSymbols(server, game, buildId, symText(), { fields: { checksum: 'a'.repeat(64) } })).status,
      400,
    );
    assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
  });

  test('a zip is stored and compiled, and concurrent readers of a file share one copy', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const lines = Buffer.from(
      Array.from({ length: 400_000 }, (_, i) => `FUNC ${(4096 + 16 * i).toString(16)} 8 0 f${i}\n`).join(''),
    );
    const large = Buffer.concat([symText({ file: 'large.so' }), lines]);
    const zip = buildZip([
      { name: 'a.sym', data: symText() },
      { name: 'large.sym', data: large, method: 8 },
    ]);
    await addSymbols(server, game, buildId, zip);
    await untilCompiled(server, game, buildId);
    const [symbol] = await findSymbols(server.ctx, game.uid, buildId, [
      { debugFile: 'large.so', debugId: debugIdOf('large.so') },
    ]);
    assert.ok(symbol?.state === 'compiled' && symbol.cacheSize > MIB, 'larger than one page of anything');
    const paths = new Set(await Promise.all([1, 2, 3].map(() => openCacheFile(server.ctx, symbol.cacheKey))));
    assert.equal(paths.size, 1);
    assert.equal((await readdir(join(server.dataFolder, 'symbol-cache'))).length, 1);
    const reader = new FileReader([...paths][0]!);
    const cache = openSymbolCache(reader);
    assert.deepEqual([reader.size, cache.placeAt(4096 + 16 * 399_999)?.function], [symbol.cacheSize, 'f399999']);
    cache.close();
    const headers = await signIn(server, game.owner);
    const token = await request(`${server.api}/games/${game.uid}/symbol-token`, { method: 'POST', headers });
    const response = await fetch(`${token.body.data.symbols_url}/large.so/${debugIdOf('large.so')}/large.so.sym`);
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(large));
  });

  test('an upload fails with 5020 when S3 is unavailable', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const away = await startServer({
      shareWith: server,
      role: 'api',
      env: { CHAUFFEUR_BLOBS: s3.url },
    });
    const text = symText({ file: 'away.so' });
    try {
      await s3.stop();
      const { status, body } = await sendSymbols(away, game, buildId, text);
      assert.deepEqual([status, body.error?.code], [502, 5020]);
    } finally {
      await away.stop();
    }
  });
});
