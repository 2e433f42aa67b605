// Tests symbol servers: which modules are looked up, which answers are kept, which reports get the symbols, and when
// symbols are deleted.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, afterEach, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { buildCabinet } from '../../debug-symbols/test/build-cabinet.ts';
import { sampleProgram } from '../../debug-symbols/test/sample-program.ts';
import { writeAmd64Context } from '../../minidump/test/dump-writer/contexts.ts';
import { writeDump } from '../../minidump/test/dump-writer/dump-writer.ts';
import type { Context } from '../src/context.ts';
import { askSource } from '../src/crash/symbols/sources/ask-source.ts';
import { compileSystem } from '../src/crash/symbols/sources/compile-system.job.ts';
import type { ConvertNative } from '../src/crash/symbols/sources/convert-native.ts';
import { SourceError } from '../src/crash/symbols/sources/download.ts';
import { cabinetPathOf, nativePaths } from '../src/crash/symbols/sources/layouts.ts';
import { lookUpSymbols } from '../src/crash/symbols/sources/look-up.job.ts';
import { requestLookUps } from '../src/crash/symbols/sources/request.ts';
import { sweepSources } from '../src/crash/symbols/sources/sweep-sources.job.ts';
import { sweepSymbols } from '../src/crash/symbols/sweep.job.ts';
import { changed, row, rows } from '../src/kernel/database/db.ts';
import { setUserOperator } from '../src/people/accounts/accounts.ts';
import { reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { type SymbolServer, startSymbolServer } from './setup/symbol-server.ts';
import { addSymbols, debugIdOf, symText, waitingJobs } from './setup/symbols.ts';
import { until, untilEqual } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const CORPUS = join(import.meta.dirname, '../../../../shared/symbols-corpus');
const corpusOptions = { skip: existsSync(CORPUS) ? false : 'skipped: corpus not found' };

let source: SymbolServer;
before(async () => {
  source = await startSymbolServer();
});
after(() => source.close());
afterEach(() => {
  source.files.clear();
  source.respond = null;
  source.requests.length = 0;
  source.maxOpen = 0;
});

/** A crash in a library, at the offset of the function of `symText`. */
function dumpIn(library: string): Uint8Array {
  const context = writeAmd64Context({ rip: 0x7f0000000012n, rsp: 0x7000n });
  const debugId = debugIdOf(library);
  return writeDump({
    system: { processorArchitecture: 9, platformId: 0x8201, cpuCount: 4 },
    threads: [{ id: 1, context }],
    exception: { threadId: 1, code: 11, context },
    modules: [
      {
        name: `/usr/lib/${library}`,
        base: 0x7f0000000000n,
        size: 0x21000,
        codeView: { kind: 'pdb70', guid: debugId.slice(0, 32), age: 0, file: library },
      },
    ],
  });
}

const pathOf = (library: string) => `/${library}/${debugIdOf(library)}/${library}.sym`;
const moduleOf = (library: string) => ({
  debugFile: library,
  debugId: debugIdOf(library),
  codeFile: `/usr/lib/${library}`,
  codeId: '',
});

type Lookup = { state: string; problem: string | null; tries: number; absences: number; asked: string[] };

function lookupOf({ ctx }: { ctx: Context }, library: string): Promise<Lookup | undefined> {
  return row(
    ctx.db,
    sql<Lookup>`select state, problem, tries, absences, asked from symbol_lookups where debug_file = ${library}`,
  );
}

/** Makes the look-ups of a library due. */
async function makeDue({ ctx }: { ctx: Context }, library: string): Promise<void> {
  await changed(
    ctx.db,
    sql`update symbol_lookups set due_at = now() - interval '1 second' where debug_file = ${library}`,
  );
}

async function systemBlobs({ ctx }: { ctx: Context }): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of ctx.blobs.list('symbols/system/')) keys.push(key);
  return keys.sort();
}

const lookUp = ({ ctx }: { ctx: Context }) => lookUpSymbols(ctx, {}, { signal: new AbortController().signal });

describe('with a worker', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      env: { CHAUFFEUR_SYMBOL_SOURCES: `breakpad+${source.url}`, CHAUFFEUR_SYMBOL_PRIVATE_HOSTS: '1' },
    });
  });
  after(() => server.stop());

  async function openGame() {
    const game = await makeGame(server);
    return { game, buildId: await register(server, game) };
  }

  async function crashIn(library: string, { game, buildId }: { game: TestGame; buildId: string }) {
    return untilDone(server, await reportCrash(server, game, buildId, { dump: dumpIn(library) }));
  }

  test('reports of all games get the symbols, for which the server is asked once', async () => {
    const library = 'lib-shared.so.1';
    const [first, second] = [await openGame(), await openGame()];
    // The server responds once both games wait.
    const { promise: bothWait, resolve: respond } = Promise.withResolvers<void>();
    source.files.set(pathOf(library), (_, response) => {
      bothWait.then(() => response.end(symText({ file: library, f: 'shared::run' })));
    });
    const reports = [await crashIn(library, first), await crashIn(library, second)];
    for (const report of reports) assert.deepEqual(report.missing_symbols, [`${library}/${debugIdOf(library)}`]);
    await until(() =>
      row(
        server.ctx.db,
        sql`select from symbol_lookup_games join symbol_lookups using (lookup_id) where debug_file = ${library}
          having count(*) = 2`,
      ).then((found) => found !== undefined),
    );
    respond();
    for (const { report_id: reportId } of reports) {
      await untilEqual(async () => (await reportRow(server, reportId)).functions, ['shared::run']);
      assert.deepEqual((await reportRow(server, reportId)).missing_symbols, []);
    }
    assert.deepEqual(source.requests, [pathOf(library)]);
    // A third game has them at once.
    const report = await crashIn(library, await openGame());
    assert.deepEqual(report.functions, ['shared::run']);
    assert.equal(source.requests.length, 1);
  });

  test('compressed files are read, also if the connection compresses them again', async () => {
    const game = await openGame();
    const variants = {
      'lib-gz.so': ['.gz', gzipSync(symText({ file: 'lib-gz.so' }))],
      'lib-zst.so': ['.zst', zstdCompressSync(symText({ file: 'lib-zst.so' }))],
      'lib-twice.so': ['.gz', gzipSync(gzipSync(symText({ file: 'lib-twice.so' })))],
      'lib-sent.so': ['', gzipSync(symText({ file: 'lib-sent.so' }))],
    } as const;
    for (const [library, [ending, file]] of Object.entries(variants)) {
      source.files.set(pathOf(library) + ending, file);
      const { report_id: reportId } = await crashIn(library, game);
      await untilEqual(async () => (await reportRow(server, reportId)).functions, ['game::run()']);
    }
  });

  test('what no server has is remembered, for all games, and looked up again when it is due', async () => {
    const library = 'lib-absent.so';
    const { game, buildId } = await openGame();
    const report = await crashIn(library, { game, buildId });
    await until(async () => (await lookupOf(server, library))?.state === 'absent');
    const asked = ['', '.gz', '.zst'].map((ending) => pathOf(library) + ending);
    assert.deepEqual(source.requests, asked);
    const headers = await signIn(server, game.owner);
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${report.report_id}`, { headers });
    const [missing] = body.data.missing_symbols;
    assert.equal(missing.lookup, 'absent');
    assert.match(missing.detail, /and the symbol servers of this service do not have them/);
    await crashIn(library, await openGame());
    await lookUp(server);
    assert.deepEqual(source.requests, asked);
    await makeDue(server, library);
    source.files.set(pathOf(library), symText({ file: library }));
    const later = await crashIn(library, await openGame());
    for (const { report_id: reportId } of [report, later])
      await untilEqual(async () => (await reportRow(server, reportId)).functions, ['game::run()']);
  });

  test('uploaded symbols come before those of servers, and are not looked up', async () => {
    const library = 'lib-own.so';
    const { game, buildId } = await openGame();
    source.files.set(pathOf(library), symText({ file: library, f: 'server' }));
    await addSymbols(server, game, buildId, symText({ file: library, f: 'own' }));
    const { report_id: reportId } = await crashIn(library, { game, buildId });
    await untilEqual(async () => (await reportRow(server, reportId)).functions, ['own']);
  });

  test('symbols of servers do not count as the storage of a game', async () => {
    const library = 'lib-free.so';
    const { game, buildId } = await openGame();
    source.files.set(pathOf(library), symText({ file: library }));
    const { report_id: reportId } = await crashIn(library, { game, buildId });
    await untilEqual(async () => (await reportRow(server, reportId)).functions, ['game::run()']);
    const headers = await signIn(server, game.owner);
    const { body } = await request(`${server.api}/games/${game.uid}/usage`, { headers });
    assert.equal(body.data.storage.symbols_bytes, 0);
  });
});

describe('without a worker', () => {
  let server: TestServer;
  let game: TestGame;
  const env = () => ({
    CHAUFFEUR_SYMBOL_SOURCES: `breakpad+${source.url}/a breakpad+${source.url.replace('//', '//user:word@')}/b`,
    CHAUFFEUR_SYMBOL_PRIVATE_HOSTS: '1',
    CHAUFFEUR_LIMIT_SYMBOL_LOOKUPS: '20',
  });
  before(async () => {
    server = await startServer({ role: 'api', env: env() });
  });
  after(() => server.stop());
  const newGame = async () => {
    game = await makeGame(server);
    return game.uid;
  };

  /** Looks a library up for a new game. */
  async function lookUpNew(library: string) {
    await requestLookUps(server.ctx, await newGame(), [moduleOf(library)]);
    await lookUp(server);
    return lookupOf(server, library);
  }

  async function compileAll() {
    for (const { symbolId = '' } of await waitingJobs(server, 'symbols:compile-system'))
      await compileSystem(server.ctx, { symbolId }, { last: false });
  }

  test('sources are asked in their order, with the credentials of each', async () => {
    source.credentials.length = 0;
    source.files.set(`/b${pathOf('lib-order.so')}`, symText({ file: 'lib-order.so' }));
    assert.equal((await lookUpNew('lib-order.so'))?.state, 'found');
    assert.deepEqual(
      source.requests.map((path) => path.slice(0, 2)),
      ['/a', '/a', '/a', '/b'],
    );
    assert.deepEqual(source.credentials.slice(2), [undefined, `Basic ${btoa('user:word')}`]);
    const stored = await rows(server.ctx.db, sql`select source from system_symbols where debug_file = 'lib-order.so'`);
    assert.deepEqual(stored, [{ source: `breakpad+${source.url}/b/` }]);
  });

  test('what is not the symbols of the module is refused, and nothing is kept of it', async () => {
    const other = symText({ file: 'lib-other.so' });
    const bomb = gzipSync(Buffer.concat([symText({ file: 'lib-bomb.so' }), Buffer.alloc(64 * 1024 * 1024, ' ')]));
    const cases = {
      'lib-html.so': ['<!doctype html><html>Sign in</html>', /HTML/],
      'lib-empty.so': ['', /not a supported symbol file/],
      'lib-swapped.so': [other, /symbols of another module/],
      'lib-bomb.so': [bomb, /unpacks to more than/],
      'lib-cut.so': [gzipSync(symText({ file: 'lib-cut.so' })).subarray(0, 60), /damaged or cut off/],
    } as const;
    const before = await systemBlobs(server);
    for (const [library, [answer, problem]] of Object.entries(cases)) {
      source.files.set(`/a${pathOf(library)}`, Buffer.from(answer));
      const lookup = await lookUpNew(library);
      assert.equal(lookup?.state, 'absent', library);
      assert.match(lookup.problem ?? '', problem);
      // The other source is still asked.
      assert.ok(source.requests.includes(`/b${pathOf(library)}`));
    }
    assert.deepEqual(await systemBlobs(server), before);
  });

  test('a source that fails is tried again, and another one may have the symbols meanwhile', async () => {
    const library = 'lib-try.so';
    const failing = (_: unknown, response: import('node:http').ServerResponse) => response.writeHead(500).end();
    source.files.set(`/a${pathOf(library)}`, failing);
    const lookup = await lookUpNew(library);
    assert.deepEqual([lookup?.state, lookup?.tries], ['waiting', 1]);
    assert.match(lookup?.problem ?? '', /^127\.0\.0\.1:\d+: it responds with the status 500$/);
    source.requests.length = 0;
    await makeDue(server, library);
    source.files.set(`/a${pathOf(library)}`, symText({ file: library }));
    await lookUp(server);
    assert.equal((await lookupOf(server, library))?.state, 'found');
    // The source that had nothing is not asked again.
    assert.deepEqual(source.requests, [`/a${pathOf(library)}`]);

    source.files.set(`/a${pathOf('lib-elsewhere.so')}`, failing);
    source.files.set(`/b${pathOf('lib-elsewhere.so')}`, symText({ file: 'lib-elsewhere.so' }));
    assert.equal((await lookUpNew('lib-elsewhere.so'))?.state, 'found');
  });

  test('a source that fails three times is left alone, and asked again later', async () => {
    source.respond = (_, response) => response.writeHead(503).end();
    await changed(server.ctx.db, sql`delete from symbol_sources`);
    for (const library of ['lib-down1.so', 'lib-down2.so', 'lib-down3.so']) await lookUpNew(library);
    source.requests.length = 0;
    const lookup = await lookUpNew('lib-down4.so');
    assert.deepEqual([lookup?.state, lookup?.tries], ['waiting', 0]);
    await setUserOperator(server.ctx, game.owner.email, true);
    const { body } = await request(`${server.api}/operator/state`, { headers: await signIn(server, game.owner) });
    assert.match(JSON.stringify(body.data.problems), /cannot be looked up at 127\.0\.0\.1:\d+: it responds with the/);
    assert.deepEqual(source.requests, []);
    await changed(server.ctx.db, sql`update symbol_sources set paused_until = now() - interval '1 second'`);
    source.respond = null;
    for (const library of ['lib-down1.so', 'lib-down2.so', 'lib-down3.so', 'lib-down4.so'])
      await makeDue(server, library);
    await lookUp(server);
    assert.equal((await lookupOf(server, 'lib-down4.so'))?.state, 'absent');
    assert.deepEqual(await rows(server.ctx.db, sql`select from symbol_sources`), []);
  });

  test('a few modules are looked up at the same time in the whole service', async () => {
    const libraries = Array.from({ length: 10 }, (_, index) => `lib-many${index}.so`);
    await requestLookUps(server.ctx, await newGame(), libraries.map(moduleOf));
    await Promise.all([lookUp(server), lookUp(server), lookUp(server)]);
    assert.ok(source.maxOpen <= 4, String(source.maxOpen));
    for (const library of libraries) assert.equal((await lookupOf(server, library))?.state, 'absent');
    assert.equal(new Set(source.requests).size, source.requests.length);
  });

  test('a game can only cause so many look-ups an hour', async () => {
    const uid = await newGame();
    const libraries = Array.from({ length: 25 }, (_, index) => `lib-limit${index}.so`);
    await requestLookUps(server.ctx, uid, libraries.slice(0, 15).map(moduleOf));
    await requestLookUps(server.ctx, uid, libraries.slice(15).map(moduleOf));
    assert.equal((await lookupOf(server, 'lib-limit14.so'))?.state, 'waiting');
    assert.equal(await lookupOf(server, 'lib-limit15.so'), undefined);
    await changed(server.ctx.db, sql`delete from symbol_lookups where debug_file like 'lib-limit%'`);
  });

  test('requests of two reports at the same time lead to one look-up', async () => {
    const [one, two] = [await makeGame(server), await makeGame(server)];
    await Promise.all([one, two].map(({ uid }) => requestLookUps(server.ctx, uid, [moduleOf('lib-race.so')])));
    const found = await rows(
      server.ctx.db,
      sql`select from symbol_lookups join symbol_lookup_games using (lookup_id) where debug_file = 'lib-race.so'`,
    );
    assert.equal(found.length, 2);
    await Promise.all([lookUp(server), lookUp(server)]);
    assert.equal(source.requests.length, 6);
  });

  test('a look-up for a deleted game does nothing', async () => {
    await requestLookUps(server.ctx, '00000000-0000-4000-8000-000000000000', [moduleOf('lib-gone.so')]);
    assert.equal(await lookupOf(server, 'lib-gone.so'), undefined);
  });

  test('a look-up is given back when the process stops', async () => {
    const stopping = new AbortController();
    source.respond = () => stopping.abort(new Error('stopping'));
    await requestLookUps(server.ctx, await newGame(), [moduleOf('lib-stop.so')]);
    await assert.rejects(lookUpSymbols(server.ctx, {}, { signal: stopping.signal }), /stopping/);
    source.respond = null;
    await lookUp(server);
    assert.equal((await lookupOf(server, 'lib-stop.so'))?.state, 'absent');
  });

  test('the same symbols under two names are stored once, and a known id is not asked for again', async () => {
    source.files.set(`/a${pathOf('lib-twin.so')}`, symText({ file: 'lib-twin.so' }));
    await lookUpNew('lib-twin.so');
    source.requests.length = 0;
    const module = { ...moduleOf('lib-twin.so'), debugFile: 'lib-twin-1.2.so' };
    await requestLookUps(server.ctx, await newGame(), [module]);
    await lookUp(server);
    assert.deepEqual(source.requests, []);
    assert.equal((await lookupOf(server, 'lib-twin-1.2.so'))?.state, 'found');
  });

  test('symbols that cannot be read are deleted, and count as absent', async () => {
    const before = await systemBlobs(server);
    const text = `MODULE Linux x86_64 ${debugIdOf('lib-bad.so')} libbad.so\n%%%\n`;
    source.files.set(`/a${pathOf('lib-bad.so')}`, Buffer.from(text));
    assert.equal((await lookUpNew('lib-bad.so'))?.state, 'found');
    await compileAll();
    const lookup = await lookupOf(server, 'lib-bad.so');
    assert.equal(lookup?.state, 'absent');
    assert.match(lookup.problem ?? '', /Line 2/);
    assert.equal((await systemBlobs(server)).filter((key) => !before.includes(key) && key.endsWith('.gz')).length, 0);
  });

  test('symbols are deleted if they were not used for long, and then looked up again', async () => {
    const library = 'lib-old.so';
    source.files.set(`/a${pathOf(library)}`, symText({ file: library }));
    await lookUpNew(library);
    await compileAll();
    const before = await systemBlobs(server);
    await changed(
      server.ctx.db,
      sql`update system_symbols set used_at = now() - interval '91 days' where debug_file = ${library}`,
    );
    await sweepSources(server.ctx);
    await sweepSources(server.ctx);
    assert.equal((await systemBlobs(server)).length, before.length - 2);
    assert.equal(await lookupOf(server, library), undefined);
    source.requests.length = 0;
    assert.equal((await lookUpNew(library))?.state, 'found');
    assert.equal(source.requests.length, 1);
  });

  test('the sweep of symbols keeps the blobs of those of servers', async () => {
    source.files.set(`/a${pathOf('lib-kept.so')}`, symText({ file: 'lib-kept.so' }));
    await lookUpNew('lib-kept.so');
    await compileAll();
    const before = await systemBlobs(server);
    assert.notEqual(before.length, 0);
    const later = { ...server.ctx, clock: { now: () => new Date(Date.now() + 3 * 86_400_000) } };
    await sweepSymbols(later);
    assert.deepEqual(await systemBlobs(server), before);
  });

  test('the least recently used are deleted if all take too much', async () => {
    for (const library of ['lib-lru1.so', 'lib-lru2.so']) {
      source.files.set(`/a${pathOf(library)}`, symText({ file: library }));
      await lookUpNew(library);
    }
    await changed(
      server.ctx.db,
      sql`update system_symbols set stored_size = 700 * 1024,
        used_at = now() - (case debug_file when 'lib-lru1.so' then 5 else 4 end) * interval '1 hour'
        where debug_file like 'lib-lru%'`,
    );
    await changed(server.ctx.db, sql`delete from system_symbols where debug_file not like 'lib-lru%'`);
    const small: Context = { ...server.ctx, config: { ...server.ctx.config, symbolSourcesMb: 1 } };
    await sweepSources(small);
    const kept = await rows(server.ctx.db, sql`select debug_file from system_symbols`);
    assert.deepEqual(kept, [{ debug_file: 'lib-lru2.so' }]);
  });

  test('symbols that do not fit are not stored, and tried again later', async () => {
    source.files.set(`/a${pathOf('lib-large.so')}`, symText({ file: 'lib-large.so' }));
    await lookUpNew('lib-large.so');
    await changed(
      server.ctx.db,
      sql`update system_symbols set stored_size = 1024 * 1024 where debug_file = 'lib-large.so'`,
    );
    const small: Context = { ...server.ctx, config: { ...server.ctx.config, symbolSourcesMb: 1 } };
    source.files.set(`/a${pathOf('lib-full.so')}`, symText({ file: 'lib-full.so' }));
    await requestLookUps(small, await newGame(), [moduleOf('lib-full.so')]);
    const before = await systemBlobs(server);
    await lookUp({ ctx: small });
    assert.equal((await lookupOf(server, 'lib-full.so'))?.state, 'waiting');
    const added = (await systemBlobs(server)).filter((key) => !before.includes(key));
    assert.deepEqual(added, []);
  });

  describe('with native files', () => {
    const buildId = `${hash('md5', 'native')}01020304`;
    /** The first 16 bytes of the build id as a GUID, whose first three fields are little-endian. */
    const guid = Buffer.from(
      [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((at) => Buffer.from(buildId, 'hex')[at]!),
    );
    const debugId = `${guid.toString('hex').toUpperCase()}0`;
    const library = 'lib-native.so';
    const module = { debugFile: library, debugId, codeFile: library, codeId: buildId };
    const debuginfod = () => ({ kind: 'debuginfod', url: `${source.url}/`, authorization: undefined }) as const;
    const options = () => ({
      signal: new AbortController().signal,
      storage: { bytes: 1e9, exceeded: () => new Error('full') as never },
    });
    const spool = () => readdir(join(server.dataFolder, 'spool'));
    /** Converts a list of words to a symbol file with a function of each name. */
    const convertWords =
      (id: string, supplements: string[] = []): ConvertNative =>
      async ({ debug, code, supplement }) => {
        const files = [debug, code, ...(await Promise.all(supplements.map(supplement)))];
        const words = await Promise.all(files.flatMap((path) => (path === null ? [] : [readFile(path, 'utf8')])));
        const functions = words.map((word, index) => `FUNC ${index}0 8 0 ${word}\n`);
        return Readable.from([Buffer.from(`MODULE Linux x86_64 ${id} ${library}\n${functions.join('')}`)]);
      };

    test('the debug file, the program and what they refer to are downloaded to a folder that is removed', async () => {
      const other = 'ab'.repeat(20);
      source.files.set(`/buildid/${buildId}/debuginfo`, zstdCompressSync(Buffer.from('debug')));
      source.files.set(`/buildid/${buildId}/executable`, Buffer.from('code'));
      source.files.set(`/buildid/${other}/debuginfo`, Buffer.from('supplement'));
      const supplements = [other, '../../etc/passwd', ...Array.from({ length: 6 }, (_, no) => `${no}`.repeat(40))];
      const convert = convertWords(debugId, supplements);
      const answer = await askSource(server.ctx, debuginfod(), module, { ...options(), convert });
      assert.ok('symbols' in answer, JSON.stringify(answer));
      assert.equal(answer.symbols.functions, 3);
      assert.equal(source.requests.length, 2 + 4);
      assert.deepEqual(await spool(), []);
      await server.ctx.blobs.delete(answer.symbols.blobKey);
    });

    test('converted symbols of another module are refused, and so are files that are larger than they may be', async () => {
      source.files.set(`/buildid/${buildId}/executable`, Buffer.from('code'));
      const before = await systemBlobs(server);
      const convert = convertWords(debugIdOf('another'));
      const answer = await askSource(server.ctx, debuginfod(), module, { ...options(), convert });
      assert.match('problem' in answer ? (answer.problem ?? '') : '', /symbols of another module/);
      source.files.set(`/buildid/${buildId}/executable`, gzipSync(Buffer.alloc(64 * 1024 * 1024)));
      const bomb = await askSource(server.ctx, debuginfod(), module, { ...options(), convert });
      assert.match('problem' in bomb ? (bomb.problem ?? '') : '', /unpacks to more than/);
      assert.deepEqual([await systemBlobs(server), await spool()], [before, []]);
    });

    test('a server that fails in the middle is a failure, and leaves nothing', async () => {
      source.files.set(`/buildid/${buildId}/debuginfo`, (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('debug', () => response.destroy());
      });
      await assert.rejects(askSource(server.ctx, debuginfod(), module, options()), SourceError);
      assert.deepEqual(await spool(), []);
    });

    test('a program is converted, and reports use it', async () => {
      const program = sampleProgram();
      const id = '000102030405060708090a0b0c0d0e0f';
      source.files.set(`/buildid/${id}/executable`, Buffer.from(program));
      const own = {
        ...module,
        debugFile: 'game',
        debugId: '030201000504070608090A0B0C0D0E0F0',
        codeFile: 'game',
        codeId: id,
      };
      const answer = await askSource(server.ctx, debuginfod(), own, options());
      assert.ok('symbols' in answer, JSON.stringify(answer));
      const { functions, debugFile, debugId: found } = answer.symbols;
      assert.deepEqual({ functions, debugFile, found }, { functions: 1, debugFile: 'game', found: own.debugId });
      assert.deepEqual(await spool(), []);
      await server.ctx.blobs.delete(answer.symbols.blobKey);
    });

    test('a PDB and its program are read from cabinets', corpusOptions, async () => {
      const folder = join(CORPUS, 'pdb-x86_64-clang-O2');
      const read = (name: string) => readFile(join(folder, name));
      const head = (await readFile(join(folder, 'reference.sym.gz')).then(gunzipSync)).toString('utf8', 0, 500);
      const [, id = ''] = /^MODULE \S+ \S+ (\S+)/.exec(head) ?? [];
      const [, codeId = ''] = /^INFO CODE_ID (\S+)/m.exec(head) ?? [];
      const own = { debugFile: 'engine.pdb', debugId: id, codeFile: 'engine.exe', codeId: codeId.toLowerCase() };
      const { debug, code } = nativePaths('microsoft', own)!;
      const placeOf = (path: readonly string[]) => `/${cabinetPathOf(path).join('/')}`;
      source.files.set(placeOf(debug!), Buffer.from(buildCabinet(await read('engine.pdb'))));
      source.files.set(placeOf(code!), Buffer.from(buildCabinet(await read('engine.exe'), { name: '../engine.exe' })));
      const microsoft = { kind: 'microsoft', url: `${source.url}/`, authorization: undefined } as const;
      const answer = await askSource(server.ctx, microsoft, own, options());
      assert.ok('symbols' in answer, JSON.stringify(answer));
      assert.equal(answer.symbols.debugId, id);
      assert.ok(answer.symbols.functions > 15 && answer.symbols.records > 100, JSON.stringify(answer.symbols));
      assert.deepEqual(source.requests, [
        `/${debug!.join('/')}`,
        placeOf(debug!),
        `/${code!.join('/')}`,
        placeOf(code!),
      ]);
      await server.ctx.blobs.delete(answer.symbols.blobKey);

      source.files.set(placeOf(debug!), Buffer.from(buildCabinet(Buffer.alloc(80 * 1024 * 1024))));
      const bomb = await askSource(server.ctx, microsoft, own, options());
      assert.match('problem' in bomb ? (bomb.problem ?? '') : '', /its cabinet unpacks to more than 64 MB/);
      source.files.set(placeOf(debug!), Buffer.from(buildCabinet(Buffer.from('no PDB'), { method: 3 })));
      const unsupported = await askSource(server.ctx, microsoft, own, options());
      assert.match('problem' in unsupported ? (unsupported.problem ?? '') : '', /LZX compression are not supported/);
      assert.deepEqual(await spool(), []);
    });

    test('a file that cannot be converted is an answer without symbols', async () => {
      const ctx: Context = { ...server.ctx, config: { ...server.ctx.config, symbolSources: [debuginfod()] } };
      source.files.set(`/buildid/${buildId}/debuginfo`, Buffer.from('\x7fELF'));
      await requestLookUps(ctx, await newGame(), [{ ...module, codeId: buildId.toUpperCase() }]);
      await lookUp({ ctx });
      assert.deepEqual(source.requests, [`/buildid/${buildId}/debuginfo`, `/buildid/${buildId}/executable`]);
      const lookup = await lookupOf(server, library);
      assert.equal(lookup?.state, 'absent');
      assert.match(lookup.problem ?? '', /can't be converted/);
      assert.deepEqual(await spool(), []);
    });
  });

  test('a look-up of a worker that died is taken over when its claim ends, and not before', async () => {
    const library = 'lib-claimed.so';
    await requestLookUps(server.ctx, await newGame(), [moduleOf(library)]);
    const claim = (interval: string) =>
      changed(
        server.ctx.db,
        sql`update symbol_lookups set claimed_until = now() + ${interval}::interval where debug_file = ${library}`,
      );
    await claim('1 minute');
    await lookUp(server);
    assert.equal((await lookupOf(server, library))?.state, 'waiting');
    await claim('-1 second');
    await lookUp(server);
    assert.equal((await lookupOf(server, library))?.state, 'absent');
  });

  test('without sources in the settings, everything of them is deleted, and nothing is looked up', async () => {
    const off: Context = { ...server.ctx, config: { ...server.ctx.config, symbolSources: undefined } };
    await sweepSources(off);
    for (const table of ['system_symbols', 'symbol_lookups', 'symbol_lookup_games'])
      assert.deepEqual(await rows(server.ctx.db, sql`select from ${sql.table(table)}`), [], table);
    await requestLookUps(off, await newGame(), [moduleOf('lib-off.so')]);
    await lookUp({ ctx: off });
    assert.equal(await lookupOf(server, 'lib-off.so'), undefined);
    assert.deepEqual(source.requests, []);
  });
});
