// Failures of database, storage and symbols during the processing of crashes: processing is retried and succeeds.
import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { processCrash } from '../src/crash/crashes/process/process.job.ts';
import {
  findMiscount,
  groupsOf,
  readDumpFixture,
  readSymbolFixture,
  reportCrash,
  reportRow,
} from './setup/crash-dumps.ts';
import { outageOf } from './setup/outage.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, compileNow, symbolBlobsOf, waitingJobs } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const DUMP = readDumpFixture('null_deref_inline');
const SYMBOLS = readSymbolFixture('null_deref_inline');
const MODULE = 'null_deref_inline/8EB9ED96B569A6A04D6CB5C57A4568B80';

describe('processing a crash', () => {
  let server: TestServer;
  let game: TestGame;
  let buildId: string;
  let reportId: string;
  beforeEach(async () => {
    // There is no worker, so the tests run the jobs.
    server = await startServer({ role: 'api' });
    game = await makeGame(server);
    buildId = await register(server, game);
    reportId = await reportCrash(server, game, buildId, { dump: DUMP, message: 'it said' });
  });
  afterEach(() => server.stop());

  function process({ number = 1, last = false } = {}): Promise<void> {
    const attempt = { number, last, signal: new AbortController().signal };
    return processCrash(server.ctx, { gameId: game.uid, reportId }, attempt);
  }

  /** Makes the store fail. Returns the function that repairs it. */
  async function breakStore(): Promise<() => Promise<void>> {
    const folder = join(server.dataFolder, 'blobs');
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'no folder');
    return async () => {
      await rm(folder);
      await rename(`${folder}.away`, folder);
    };
  }

  async function compileSymbols(): Promise<void> {
    const [symbols] = await addSymbols(server, game, buildId, SYMBOLS);
    await compileNow(server, game, symbols!.checksum);
  }

  async function cacheKey(): Promise<string> {
    return (await symbolBlobsOf(server, game)).find((key) => key.endsWith('.cache')) ?? '';
  }

  test('is retried while the storage is unavailable', async () => {
    const repair = await breakStore();
    await assert.rejects(process());
    assert.deepEqual([(await reportRow(server, reportId)).state, await groupsOf(server, game)], ['processing', []]);
    await repair();
    await process({ number: 2 });
    assert.equal((await reportRow(server, reportId)).state, 'processed');
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('ends in a visible failure if the storage stays unavailable, and a later try recovers', async () => {
    const repair = await breakStore();
    await process({ number: 12, last: true });
    const failed = await reportRow(server, reportId);
    assert.equal(failed.state, 'failed');
    assert.match(failed.failure ?? '', /because of an internal error/);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title }) => title),
      ['it said'],
    );
    await repair();
    await process();
    const processed = await reportRow(server, reportId);
    assert.deepEqual([processed.state, processed.failure], ['processed', null]);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ kind, count }) => [kind, count]),
      [['stack', 1]],
    );
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('continues without compiled symbols that are lost, and is not repeated forever', async () => {
    await compileSymbols();
    await server.ctx.blobs.delete(await cacheKey());
    await process();
    const report = await reportRow(server, reportId);
    assert.deepEqual([report.state, report.missing_symbols.includes(MODULE)], ['processed', true]);
    const again = (await waitingJobs(server, 'crashes:process')).filter((payload) => payload.reportId === reportId);
    assert.equal(again.length, 1);
  });

  test('continues without compiled symbols that are damaged', async () => {
    await compileSymbols();
    await writeFile(join(server.dataFolder, 'blobs', await cacheKey()), 'damaged');
    await process();
    const report = await reportRow(server, reportId);
    assert.deepEqual([report.state, report.missing_symbols.includes(MODULE)], ['processed', true]);
  });
});

describe('processing crashes while the database restarts', () => {
  test('counts every report once in its group', async (t) => {
    const server = await startServer();
    t.after(() => server.stop());
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) ids.push(await reportCrash(server, game, buildId, { dump: DUMP }));
    const outage = outageOf(server.database);
    await outage.begin();
    await outage.end();
    // The pool of the test may still have connections that were ended.
    for (const id of ids)
      await until(async () => (await reportRow(server, id).catch(() => null))?.state === 'processed');
    assert.equal(await findMiscount(server, game.uid), undefined);
  });
});
