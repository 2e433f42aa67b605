// Scripts, source maps, and mappings of ProGuard and IL2CPP: stored once per content, checked, counted and deleted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { checkMapping } from '../src/crash/symbols/mappings/check.job.ts';
import { findMapping } from '../src/crash/symbols/mappings/mappings.sql.ts';
import { type MappingUpload, recordMappings, storeMapping } from '../src/crash/symbols/mappings/store-mapping.ts';
import { sweepSymbols } from '../src/crash/symbols/sweep.job.ts';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { readStorage } from '../src/ship/usage/usage.sql.ts';
import { requireFreeStorage } from '../src/ship/usage/usage.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { symbolBlobsOf, symbolsOf, waitingJobs } from './setup/symbols.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

const ID = '85314830-023f-4cf1-a267-535f4e37bb17';
const DEBUG_ID = '85314830023F4CF1A267535F4E37BB170';
const SCRIPT = `run();\n//# sourceMappingURL=game.js.map\n//# debugId=${ID}\n`;
const MAP = JSON.stringify({ version: 3, sources: ['a.ts'], names: ['run'], mappings: 'AAAAA', debug_id: ID });

type Upload = Omit<MappingUpload, 'source' | 'storage'> & { readonly text: string };

async function add(game: TestGame, uploads: readonly Upload[]) {
  const mappings = [];
  for (const { text, ...upload } of uploads) {
    const source = bytesOfBuffer(Buffer.from(text));
    mappings.push(
      await storeMapping(server.ctx, game.uid, {
        ...upload,
        source,
        storage: await requireFreeStorage(server.ctx, game.uid),
      }),
    );
  }
  return recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings });
}

async function checkAll(): Promise<void> {
  for (const payload of await waitingJobs(server, 'mappings:check'))
    await checkMapping(server.ctx, payload as never, { number: 1, last: false, signal: new AbortController().signal });
}

const stateOf = async (game: TestGame, [{ mapping_uid: uid } = { mapping_uid: '' }]: { mapping_uid: string }[]) =>
  findMapping(server.ctx.db, game.uid, uid);

describe('a script and its source map', () => {
  test('are listed with what they say about themselves, and can be used once they are checked', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const recorded = await add(game, [
      { kind: 'script', fileName: 'dist/game.js', url: 'https://a.example/assets/game.js?1', buildId, text: SCRIPT },
      { kind: 'source_map', fileName: 'dist/game.js.map', url: '~/assets/game.js.map', buildId, text: MAP },
    ]);
    assert.deepEqual(
      recorded.map(({ state }) => state),
      ['compiled', 'stored'],
    );
    await checkAll();
    assert.deepEqual(
      (await symbolsOf(server, game, buildId)).map(({ kind, debug_file, debug_id, state }) => [
        kind,
        debug_file,
        debug_id,
        state,
      ]),
      [
        ['script', '~/assets/game.js', DEBUG_ID, 'compiled'],
        ['source_map', '~/assets/game.js.map', DEBUG_ID, 'compiled'],
      ],
    );
    assert.equal((await waitingJobs(server, 'mappings:arrived')).filter(({ gameId }) => gameId === game.uid).length, 2);
  });

  test('are stored once, whatever they belong to, and counted once', async () => {
    const game = await makeGame(server);
    const [first, second] = [await register(server, game), await register(server, game, { version: '2.0.0' })];
    const upload = { kind: 'source_map', fileName: 'game.js.map', url: '~/game.js.map', text: MAP } as const;
    for (const address of [{ buildId: first }, { buildId: second }, { release: 'game@1.0.0' }, { buildId: first }])
      await add(game, [{ ...upload, ...address }]);
    assert.equal((await symbolBlobsOf(server, game)).length, 1);
    const { symbols } = await readStorage(server.ctx.db, game.uid);
    assert.ok(symbols > 0 && symbols < 2 * MAP.length);
  });

  test('are deleted with their build, and their blobs with the last that uses them', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const upload = { kind: 'source_map', fileName: 'game.js.map', url: '~/game.js.map', text: MAP } as const;
    await add(game, [
      { ...upload, buildId },
      { ...upload, release: 'game@1.0.0' },
    ]);
    const url = `${server.api}/games/${game.uid}/builds/${buildId}/symbols`;
    const { body } = await request(url, { method: 'DELETE', headers: await signIn(server, game.owner) });
    assert.equal(body.data.deleted, 1);
    const later = { ...server.ctx, clock: { now: () => new Date(Date.now() + 25 * HOUR) } };
    await sweepSymbols(later);
    assert.equal((await symbolBlobsOf(server, game)).length, 1);
    const old = { ...server.ctx, clock: { now: () => new Date(Date.now() + 401 * 24 * HOUR) } };
    await sweepSymbols(old);
    assert.equal((await symbolBlobsOf(server, game)).length, 0);
  });

  test('of which the map can not be read are listed with the reason, and can be sent again', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const upload = { kind: 'source_map', fileName: 'game.js.map', url: '~/game.js.map', buildId, text: '{}' } as const;
    const recorded = await add(game, [upload]);
    await checkAll();
    assert.deepEqual(await stateOf(game, recorded), {
      state: 'unreadable',
      problem: "The file can't be used: it has no mappings.",
    });
    const again = await add(game, [upload]);
    assert.deepEqual(
      again.map(({ state, mapping_uid: uid }) => [state, uid]),
      [['stored', recorded[0]!.mapping_uid]],
    );
  });
});

describe('hostile mappings', () => {
  test('end neither the server nor other checks', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const nested = `${'{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":'.repeat(20_000)}{}`;
    const hostile = {
      'lines.js.map': JSON.stringify({ version: 3, sources: ['a'], names: [], mappings: ';'.repeat(4_000_000) }),
      'nested.js.map': nested,
      'deep.js.map': `${nested}${'}]}'.repeat(20_000)}`,
      'vlq.js.map': JSON.stringify({ version: 3, sources: ['a'], names: [], mappings: `A${'g'.repeat(10_000_000)}` }),
      'LineNumberMappings.json': `{"a.cpp":${'['.repeat(100_000)}`,
      'mapping.txt': 'a -> b:\n'.repeat(10),
    };
    for (const [fileName, text] of Object.entries(hostile)) {
      const kind = fileName.endsWith('.map') ? 'source_map' : fileName.endsWith('.txt') ? 'proguard' : 'il2cpp';
      await add(game, [{ kind, fileName, buildId, text }]);
    }
    await checkAll();
    const states = (await symbolsOf(server, game, buildId)).map(({ debug_file: name, state }) => `${name} ${state}`);
    assert.ok(!states.some((state) => state.endsWith('stored')), states.join());
    assert.deepEqual(
      states.filter((state) => state.startsWith('deep') || state.startsWith('Line')),
      ['deep.js.map unreadable', 'LineNumberMappings.json unreadable'],
    );
  });

  test('have names and addresses that are safe to show', async () => {
    const game = await makeGame(server);
    const text = MAP;
    for (const url of ['../../etc/passwd', 'https://a/%2e%2e/x.map', `/${'a'.repeat(3000)}`, '\0', '~/\u202e.map'])
      await add(game, [{ kind: 'source_map', fileName: `\0../${url}`, url, release: '\0r', dist: '\ud800', text }]);
    const count = await changed(
      server.ctx.db,
      sql`select from mappings where game_id = ${game.uid} and (url like '%..%' or length(url) > 512)`,
    );
    assert.equal(count, 0);
  });
});
