// Malformed and malicious dumps: each ends in a clear state, and the next reports are processed.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findMiscount, readDumpFixture, reportCrash, untilDone } from './setup/crash-dumps.ts';
import { writeHeavyDump } from './setup/heavy-dump.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

const CORPUS = join(import.meta.dirname, '../../../../shared/corpus/hostile');
const skip = existsSync(CORPUS) ? false : 'skipped: corpus not found';

describe('hostile dumps', () => {
  let server: TestServer;
  let game: TestGame;
  let buildId: string;
  before(async () => {
    server = await startServer();
    game = await makeGame(server);
    buildId = await register(server, game);
  });
  after(() => server.stop());

  test('of the corpus are processed, or fail with a readable reason', { skip }, async () => {
    const ids: string[] = [];
    for (const name of readdirSync(CORPUS).sort()) {
      const dump = readFileSync(fileOf(name));
      // An empty body is not a dump, so the report keeps waiting for one.
      if (dump.length > 0) ids.push(await reportCrash(server, game, buildId, { dump, message: name }));
    }
    assert.ok(ids.length > 100);
    for (const id of ids) {
      const { state, failure, stack_key } = await untilDone(server, id);
      if (state === 'failed') assert.match(failure ?? '', /^The dump cannot be read: [^\n]+\.?$/);
      else assert.deepEqual([state, failure, stack_key !== null], ['processed', null, true]);
    }
    assert.equal(await findMiscount(server, game.uid), undefined);
    const good = await untilDone(
      server,
      await reportCrash(server, game, buildId, { dump: readDumpFixture('nosym_middle') }),
    );
    assert.equal(good.state, 'processed');
  });

  const BOUNDS = [
    { what: 'time', env: { CHAUFFEUR_CRASH_SECONDS: '1' }, failure: /^Reading the dump took longer than 1 s/ },
    {
      what: 'memory',
      env: { CHAUFFEUR_CRASH_HEAP_MB: '64' },
      failure: /^Reading the dump took more than 64 MiB of memory/,
    },
  ];
  for (const { what, env, failure } of BOUNDS) {
    test(`that exceed the limit of ${what} fail, and the next report is processed`, async (t) => {
      const bounded = await startServer({ env });
      t.after(() => bounded.stop());
      const game = await makeGame(bounded);
      const buildId = await register(bounded, game);
      const heavy = await reportCrash(bounded, game, buildId, { dump: writeHeavyDump(), message: 'heavy' });
      const light = await reportCrash(bounded, game, buildId, { dump: readDumpFixture('nosym_middle') });
      const failed = await untilDone(bounded, heavy);
      assert.equal(failed.state, 'failed');
      assert.match(failed.failure ?? '', failure);
      assert.equal((await untilDone(bounded, light)).state, 'processed');
      const next = await reportCrash(bounded, game, buildId, { dump: readDumpFixture('nosym_middle') });
      assert.equal((await untilDone(bounded, next)).state, 'processed');
      assert.equal(await findMiscount(bounded, game.uid), undefined);
    });
  }
});

/** A case of the corpus is a file, or a folder with a dump. */
function fileOf(name: string): string {
  const path = join(CORPUS, name);
  return statSync(path).isDirectory() ? join(path, 'case.dmp') : path;
}
