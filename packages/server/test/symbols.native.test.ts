// Programs and debug files as symbols: converted by a job, used together part by part, and refused with a reason.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { buildPe, concat, words } from '../../debug-symbols/test/build-pe.ts';
import { CORPUS_MISSING, readCorpus } from '../../debug-symbols/test/native-corpus.ts';
import { writeAmd64Context } from '../../minidump/test/dump-writer/contexts.ts';
import type { ModuleDescription } from '../../minidump/test/dump-writer/description.ts';
import { writeDump } from '../../minidump/test/dump-writer/dump-writer.ts';
import { convertInThread, convertNative, reasonOf } from '../src/crash/symbols/convert.job.ts';
import { sweepSymbols } from '../src/crash/symbols/sweep.job.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../src/kernel/threads/threads.ts';
import { readStorage } from '../src/ship/usage/usage.sql.ts';
import { reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { readMetric } from './setup/metrics.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  addSymbols,
  type SymbolRecord,
  sendSymbols,
  storedCountsOf,
  symbolBlobsOf,
  symbolsOf,
  symText,
  untilCompiled,
  waitingJobs,
} from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register, sha256 } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
});
after(() => server.stop());

async function makeBuild(owner?: TestGame) {
  const game = owner ?? (await makeGame(server));
  const version = `1.0.${Math.floor(Math.random() * 1e9)}`;
  return { game, buildId: await register(server, game, { version }) };
}

/** Sends a native file under its name, which must be accepted. */
async function send(game: TestGame, buildId: string, filename: string, bytes: Uint8Array): Promise<SymbolRecord[]> {
  const response = await sendSymbols(server, game, buildId, bytes, { filename });
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data.symbols;
}

function corpus(path: string): Buffer {
  const bytes = readCorpus(path);
  assert.ok(bytes !== undefined, path);
  return Buffer.from(bytes);
}

const BASE = 0x140000000n;

/** A crash of a module at an offset. `stack` are words at the stack pointer. */
function dumpOf(module: Partial<ModuleDescription>, offset: number, stack: readonly bigint[] = []): Uint8Array {
  const rsp = 0x7000_0000n;
  const context = writeAmd64Context({ rip: BASE + BigInt(offset), rsp });
  const bytes = Buffer.alloc(4096);
  for (const [index, word] of stack.entries()) bytes.writeBigUInt64LE(word, 8 * index);
  const isWindows = module.codeView?.kind !== 'elf';
  return writeDump({
    system: { processorArchitecture: 9, platformId: isWindows ? 2 : 0x8201, cpuCount: 4 },
    threads: [{ id: 1, context, stack: { start: rsp, bytes } }],
    exception: { threadId: 1, code: isWindows ? 0xc0000005 : 11, context },
    modules: [{ base: BASE, size: 0x100000, name: 'game', ...module }],
  });
}

describe('a program with DWARF', { skip: CORPUS_MISSING }, () => {
  const FOLDER = 'elf-x86_64-gcc-O3-hosted';
  /** The offset is in a function with an inlined call. */
  const OFFSET = 0x2480;
  const codeView = { kind: 'elf', buildId: 'BDD1794F625659114343D61E04C61BB7D6ECA02C' } as const;

  test('is converted, and reports without its symbols are processed again', async () => {
    const { game, buildId } = await makeBuild();
    const dump = dumpOf({ name: '/opt/owls/other name', codeView }, OFFSET);
    const before = await untilDone(server, await reportCrash(server, game, buildId, { dump }));
    assert.deepEqual(before.functions, []);
    const program = corpus(`${FOLDER}/app`);
    const [sent] = await send(game, buildId, 'app', program);
    assert.deepEqual(
      [sent?.state, sent?.debug_file, sent?.debug_id, sent?.checksum, sent?.size, sent?.problem],
      ['stored', 'app', '', sha256(program), program.length, null],
    );
    const [converted, ...others] = await untilConverted(game, buildId);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [converted?.state, converted?.debug_id, converted?.os, converted?.cpu, converted?.problem],
      ['compiled', '4F79D1BD566211594343D61E04C61BB70', 'linux', 'x86_64', null],
    );
    assert.equal(converted?.native_checksum, sha256(program));
    assert.ok((converted?.functions ?? 0) > 10 && (converted?.unwind ?? 0) > 10);
    const report = await until(async () => {
      const row = await reportRow(server, before.report_id);
      return row.functions.length > 0 && row;
    });
    const [inlined, main] = report.frames;
    assert.equal(inlined?.inlined, true);
    assert.equal(main?.function, 'main');
    assert.match(main?.file ?? '', /app\.cc$/);
    const url = `${server.api}/games/${game.uid}/crashes/${before.report_id}`;
    const { body } = await request(url, { headers: await signIn(server, game.owner) });
    const [first] = body.data.stack;
    assert.deepEqual([first.inlined, typeof first.line, first.file !== null], [true, 'number', true]);
    assert.deepEqual(body.data.missing_symbols, []);
    // Only the text and its cache are kept.
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });
});

describe('the files of one program', { skip: CORPUS_MISSING }, () => {
  const FOLDER = 'pdb-x86_64-clang-O2';
  const GUID = '9F7853FBFB3BBE584C4C44205044422E';
  const codeView = { kind: 'pdb70', guid: GUID, age: 1, file: 'C:\\build\\engine.pdb' } as const;
  /** The crash is in eng::step, which eng::demo has called. Another return address is left on the stack. */
  const [STEP, DEMO, LEFTOVER] = [0x1484, 0x1326, 0x1560];
  const STACK = [0n, BASE + BigInt(LEFTOVER), ...Array<bigint>(11).fill(0n), BASE + BigInt(DEMO)];
  const dump = dumpOf({ name: 'C:\\games\\owls.exe', codeView }, STEP, STACK);

  test('are used together: names of the PDB, unwind rules of the executable, in any order', async () => {
    for (const [first, second] of [
      ['engine.pdb', 'engine.exe'],
      ['engine.exe', 'engine.pdb'],
    ] as const) {
      const { game, buildId } = await makeBuild();
      await send(game, buildId, first, corpus(`${FOLDER}/${first}`));
      await untilConverted(game, buildId);
      const reportId = await reportCrash(server, game, buildId, { dump });
      const alone = await untilDone(server, reportId);
      const [record] = await symbolsOf(server, game, buildId);
      assert.match(record?.problem ?? '', first === 'engine.pdb' ? /^It has no unwind rules/ : /^It has no functions/);
      const isNamed = alone.functions.some((name) => name.startsWith('eng::step'));
      assert.equal(isNamed, first === 'engine.pdb');
      await send(game, buildId, second, corpus(`${FOLDER}/${second}`));
      const listed = await untilConverted(game, buildId);
      assert.deepEqual(
        listed.map(({ debug_file: name, state, problem }) => [name, state, problem]),
        [
          ['engine.pdb', 'compiled', null],
          ['engine.pdb (unwind rules)', 'compiled', null],
        ],
      );
      const calls = await until(async () => {
        const { frames } = await reportRow(server, reportId);
        const found = frames.filter(({ inlined }) => !inlined).map((frame) => `${frame.trust} ${frame.function}`);
        return /^cfi eng::demo/.test(found[1] ?? '') && found;
      });
      assert.match(calls[0] ?? '', /^context eng::step/);
    }
  });
});

describe('files for macOS', { skip: CORPUS_MISSING }, () => {
  test('a dSYM and its program in a zip are used together, and the rest of the bundle is left out', async () => {
    const { game, buildId } = await makeBuild();
    const folder = 'macho-arm64-O2';
    const bundle = 'Owls.app.dSYM/Contents';
    const zip = buildZip([
      { name: 'Owls.app/Owls', data: corpus(`${folder}/engine`), method: 8 },
      { name: `${bundle}/Info.plist`, data: '<plist/>' },
      { name: `${bundle}/Resources/DWARF/Owls`, data: corpus(`${folder}/engine.dSYM/Contents/Resources/DWARF/engine`) },
      { name: `${bundle}/Resources/Relocations/aarch64/Owls.yml`, data: 'triple: arm64\n' },
    ]);
    const sent = await send(game, buildId, 'symbols.zip', zip);
    assert.deepEqual(
      sent.map(({ debug_file: name, state }) => [name, state]),
      [
        ['Owls', 'stored'],
        ['Owls', 'stored'],
      ],
    );
    const symbols = await untilConverted(game, buildId);
    assert.deepEqual(
      symbols.map(({ debug_file: name, state, problem, os }) => [name, state, problem, os]),
      [
        ['Owls', 'compiled', null, 'macos'],
        ['Owls (unwind rules)', 'compiled', null, 'macos'],
      ],
    );
    assert.deepEqual(
      symbols.map(({ functions, unwind }) => [functions! > 0, unwind! > 0]),
      [
        [true, false],
        [false, true],
      ],
    );
  });

  test('each CPU of a universal binary becomes a module', async () => {
    const { game, buildId } = await makeBuild();
    await send(game, buildId, 'Owls', corpus('macho-fat-O2/engine.dSYM/Contents/Resources/DWARF/engine'));
    const symbols = await untilConverted(game, buildId);
    assert.deepEqual(symbols.map(({ cpu, state }) => `${cpu} ${state}`).sort(), ['arm64 compiled', 'x86_64 compiled']);
    assert.equal(new Set(symbols.map(({ native_checksum: checksum }) => checksum)).size, 1);
  });

  test('a universal binary whose CPUs share a UUID is refused with the reason', async () => {
    const { game, buildId } = await makeBuild();
    const file = Buffer.from(corpus('macho-fat-O2/engine.dSYM/Contents/Resources/DWARF/engine'));
    const command = Buffer.from([0x1b, 0, 0, 0, 0x18, 0, 0, 0]);
    const first = file.indexOf(command);
    const second = file.indexOf(command, first + 1);
    assert.ok(first > 0 && second > 0);
    file.copy(file, second, first, first + 24);
    await send(game, buildId, 'Owls', file);
    const [symbol] = await untilConverted(game, buildId);
    assert.equal(symbol?.state, 'unreadable');
    assert.match(
      symbol?.problem ?? '',
      /“Owls” has different symbols with the same debug id, such as for two architectures/,
    );
  });
});

describe('a program of Windows without a debug id', () => {
  test('has its code id, by which its module is found', async () => {
    const { game, buildId } = await makeBuild();
    await send(game, buildId, 'owls.exe', programOf('fly'));
    const [symbol] = await untilConverted(game, buildId);
    assert.deepEqual([symbol?.debug_file, symbol?.code_id], ['owls.exe', '63cf138f21000']);
    const module = { name: 'C:\\Games\\Renamed.exe', timestamp: 0x63cf138f, size: 0x21000 };
    const { functions } = await untilDone(
      server,
      await reportCrash(server, game, buildId, { dump: dumpOf(module, 0x1010) }),
    );
    assert.deepEqual(functions, ['fly']);
  });
});

describe('a file that was sent before', () => {
  test('is not converted again, for any build of the game', async () => {
    const { game, buildId } = await makeBuild();
    const program = programOf('same', 0x64000000);
    await send(game, buildId, 'owls.exe', program);
    const [first] = await untilConverted(game, buildId);
    const [again] = await send(game, buildId, 'renamed.exe', program);
    assert.deepEqual([again?.state, again?.checksum, again?.debug_file], ['compiled', first?.checksum, 'owls.exe']);
    const other = await makeBuild(game);
    const [shared] = await send(game, other.buildId, 'owls.exe', gzipSync(program));
    assert.deepEqual(
      [shared?.state, shared?.checksum, shared?.native_checksum, shared?.build_id],
      ['compiled', first?.checksum, sha256(program), other.buildId],
    );
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 2, blobs: 2 });
  });

  test('in several builds that have another file of its module each', async () => {
    const { game, buildId } = await makeBuild();
    const [one, two] = [programOf('one', 0x65000000), programOf('two', 0x65000000)];
    await send(game, buildId, 'owls.exe', one);
    const second = await makeBuild(game);
    await send(game, second.buildId, 'owls.exe', two);
    await untilConverted(game, buildId);
    await untilConverted(game, second.buildId);
    const third = await makeBuild(game);
    const zip = buildZip([
      { name: 'one/owls.exe', data: Buffer.from(one) },
      { name: 'two/owls.exe', data: Buffer.from(two) },
    ]);
    assert.equal((await send(game, third.buildId, 'both.zip', zip)).length, 1);
    assert.equal((await untilConverted(game, third.buildId))[0]?.state, 'compiled');
  });
});

describe('a file that cannot be converted', () => {
  test('is listed with the reason, deleted from the storage, and tried again when it is sent again', async () => {
    const { game, buildId } = await makeBuild();
    const unsupported = buildPe({ machine: 0x5064, sections: [] });
    for (let time = 0; time < 2; time++) {
      const [sent] = await send(game, buildId, 'owls.exe', unsupported);
      assert.deepEqual([sent?.state, sent?.problem], ['stored', null]);
      const [unreadable, ...others] = await untilConverted(game, buildId);
      assert.deepEqual([unreadable?.state, others], ['unreadable', []]);
      assert.match(unreadable?.problem ?? '', /^The file can't be converted: .*\.$/);
      await until(async () => (await symbolBlobsOf(server, game)).length === 0);
    }
    await removeSymbols(game, buildId);
    assert.deepEqual(await symbolsOf(server, game, buildId), []);
  });

  test('or is of another kind is refused at once', async () => {
    const { game, buildId } = await makeBuild();
    const dos = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
    const response = await sendSymbols(server, game, buildId, dos, { filename: 'old.exe' });
    assert.deepEqual([response.status, response.body.error?.code], [400, 4049]);
    assert.deepEqual(await symbolBlobsOf(server, game), []);
  });

  test('and any damaged file, ends as unreadable or with symbols, never in a failure of the job', {
    skip: CORPUS_MISSING,
  }, async () => {
    const { game, buildId } = await makeBuild();
    const program = corpus('elf-x86_64-gcc-so/libplugin.so');
    const pieces = Array.from({ length: 12 }, (_, index) => {
      const data = Buffer.from(program);
      // Different bytes of the headers and of the contents.
      for (let at = 16 + index; at < data.length; at += 61 + 7 * index) data[at] = (data[at]! * 31 + index) & 0xff;
      return { name: `${index}/app`, data };
    });
    assert.equal((await send(game, buildId, 'damaged.zip', buildZip(pieces))).length, pieces.length);
    const symbols = await untilConverted(game, buildId);
    assert.ok(symbols.every(({ state, problem }) => state === 'compiled' || problem !== null));
  });
});

describe('a zip', () => {
  test('can have symbol files, compressed ones and programs', async () => {
    const { game, buildId } = await makeBuild();
    const zip = buildZip([
      { name: 'a.sym', data: symText({ file: 'a.so' }) },
      { name: 'b.sym.gz', data: gzipSync(symText({ file: 'b.so' })) },
      { name: 'bin/owls.exe', data: Buffer.from(programOf('fly')) },
    ]);
    await send(game, buildId, 'symbols.zip', zip);
    const symbols = await untilConverted(game, buildId);
    assert.deepEqual(
      symbols.map(({ debug_file: name, state }) => `${name} ${state}`),
      ['a.so compiled', 'b.so compiled', 'owls.exe compiled'],
    );
  });
});

describe('a name in the upload', () => {
  test('never leaves the folder of the conversion, and is printable', async () => {
    const { game, buildId } = await makeBuild();
    const names = ['../../../owls', '..', 'C:\\a\\b.exe', 'nul', `${'x'.repeat(300)}.exe`, 'a\u202eexe.b', '-o'];
    for (const [index, name] of names.entries()) await send(game, buildId, name, programOf('name', 0x66000000 + index));
    const symbols = await untilConverted(game, buildId);
    assert.deepEqual(new Set(symbols.map(({ state }) => state)), new Set(['compiled']));
    assert.equal(symbols.length, names.length);
    assert.ok(symbols.every(({ debug_file: name }) => /^[ -~…]{1,90}$/.test(name) && !/[/\\]/.test(name)));
  });
});

describe('two symbol files of a module', () => {
  const head = 'MODULE windows x86_64 9F7853FBFB3BBE584C4C44205044422E1 game.pdb\n';
  const named = Buffer.from(`${head}FILE 0 a.cc\nFUNC 1000 20 0 f()\n1000 20 7 0\n`);
  const unwinding = Buffer.from(`${head}PUBLIC 1000 0 f\nSTACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n`);

  test('are both kept if only one has functions and only the other has unwind rules', async () => {
    for (const [first, second] of [
      [named, unwinding],
      [unwinding, named],
    ] as const) {
      const { game, buildId } = await makeBuild();
      await addSymbols(server, game, buildId, first);
      const response = await sendSymbols(server, game, buildId, second);
      assert.deepEqual(response.body.data.not_used, []);
      const symbols = await untilConverted(game, buildId);
      assert.deepEqual(
        symbols.map(({ debug_file: name, functions, unwind }) => [name, functions, unwind]),
        [
          ['game.pdb', 1, 0],
          ['game.pdb (unwind rules)', 0, 1],
        ],
      );
      // Sent again, nothing changes.
      for (const file of [first, second]) await addSymbols(server, game, buildId, file);
      assert.equal((await symbolsOf(server, game, buildId)).length, 2);
    }
  });
});

describe('without a worker', () => {
  let api: TestServer;
  before(async () => {
    api = await startServer({
      env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0', CHAUFFEUR_LIMIT_STORAGE_MB: '1' },
      role: 'api',
    });
  });
  after(() => api.stop());

  async function makeApiBuild() {
    const game = await makeGame(api);
    return { game, buildId: await register(api, game) };
  }

  async function convertNow(game: TestGame, nativeUid: string, { last = false } = {}): Promise<void> {
    const attempt = { number: last ? 12 : 1, last, signal: new AbortController().signal };
    await convertNative(api.ctx, { gameId: game.uid, nativeUid }, attempt);
  }

  async function sendTo(game: TestGame, buildId: string, bytes: Uint8Array): Promise<SymbolRecord> {
    const response = await sendSymbols(api, game, buildId, bytes, { filename: 'owls.exe' });
    assert.equal(response.status, 201, JSON.stringify(response.body));
    return response.body.data.symbols[0];
  }

  test('a file that waits is kept once, counts as storage, and survives the sweep', async () => {
    const { game, buildId } = await makeApiBuild();
    const program = programOf('wait');
    const sent = await sendTo(game, buildId, program);
    assert.equal((await sendTo(game, buildId, program)).symbol_uid, sent.symbol_uid);
    await sweepSymbols({ ...api.ctx, clock: { now: () => new Date(Date.now() + 25 * HOUR) } });
    assert.equal((await symbolBlobsOf(api, game)).length, 1);
    assert.equal((await readStorage(api.ctx.db, game.uid)).symbols, program.length);
    assert.deepEqual(
      await waitingJobs(api, 'symbols:convert').then((jobs) => jobs.filter((job) => job.gameId === game.uid)),
      [{ gameId: game.uid, nativeUid: sent.symbol_uid }],
    );
  });

  test('the metrics count conversions by their outcome', async () => {
    const { game, buildId } = await makeApiBuild();
    const count = async (outcome: string) =>
      (await readMetric(api, `chauffeur_symbol_conversion_duration_seconds_count{outcome="${outcome}"}`)) ?? 0;
    const outcomes = ['converted', 'unreadable', 'failed'] as const;
    const before = await Promise.all(outcomes.map(count));
    const good = await sendTo(game, buildId, programOf('good'));
    await convertNow(game, good.symbol_uid);
    const bad = await sendTo(game, buildId, buildPe({ machine: 0x5064, sections: [] }));
    await convertNow(game, bad.symbol_uid);
    const lost = await sendTo(game, buildId, programOf('later', 0x67000000));
    const away = { ...api.ctx, blobs: { ...api.ctx.blobs, localPath: () => Promise.reject(new Error('away')) } };
    const attempt = { number: 1, last: false, signal: new AbortController().signal };
    await assert.rejects(convertNative(away, { gameId: game.uid, nativeUid: lost.symbol_uid }, attempt), /away/);
    assert.deepEqual(
      await Promise.all(outcomes.map(count)),
      before.map((value) => value + 1),
    );
  });

  test('two jobs at the same time record the symbols once', async () => {
    const { game, buildId } = await makeApiBuild();
    const { symbol_uid: uid } = await sendTo(game, buildId, programOf('twice'));
    await Promise.all([convertNow(game, uid), convertNow(game, uid)]);
    await convertNow(game, uid);
    assert.deepEqual(await storedCountsOf(api, game), { texts: 1, symbols: 1, blobs: 1 });
  });

  test('a file that is deleted is not converted, alone or with its build', async () => {
    const { game, buildId } = await makeApiBuild();
    const headers = await signIn(api, game.owner);
    const one = await sendTo(game, buildId, programOf('one'));
    const url = `${api.api}/games/${game.uid}/builds/${buildId}/symbols?symbol_uid=${one.symbol_uid}`;
    const stranger = await makeGame(api);
    assert.equal((await request(url, { method: 'DELETE', headers: await signIn(api, stranger.owner) })).status, 404);
    assert.deepEqual((await request(url, { method: 'DELETE', headers })).body.data, { deleted: 1 });
    await convertNow(game, one.symbol_uid);
    assert.deepEqual(await storedCountsOf(api, game), { texts: 0, symbols: 0, blobs: 0 });
    const two = await sendTo(game, buildId, programOf('two'));
    await changed(api.ctx.db, sql`delete from builds where game_id = ${game.uid} and build_id = ${buildId}`);
    await convertNow(game, two.symbol_uid);
    await sweepSymbols({ ...api.ctx, clock: { now: () => new Date(Date.now() + 25 * HOUR) } });
    assert.deepEqual(await storedCountsOf(api, game), { texts: 0, symbols: 0, blobs: 0 });
  });

  test('a file whose blob is lost is unreadable, and can be sent again', async () => {
    const { game, buildId } = await makeApiBuild();
    const program = programOf('lost');
    const { symbol_uid: uid } = await sendTo(game, buildId, program);
    for (const key of await symbolBlobsOf(api, game)) await api.ctx.blobs.delete(key);
    await convertNow(game, uid);
    const [lost] = await symbolsOf(api, game, buildId);
    assert.deepEqual([lost?.state, lost?.problem], ['unreadable', 'The stored file is missing. Upload it again.']);
    assert.equal((await sendTo(game, buildId, program)).state, 'stored');
    await convertNow(game, uid);
    assert.deepEqual(
      (await symbolsOf(api, game, buildId)).map(({ debug_file: name }) => name),
      ['owls.exe'],
    );
  });

  test('a file that does not fit the storage of the game is refused, and nothing is kept', async () => {
    const { game, buildId } = await makeApiBuild();
    const large = Buffer.concat([programOf('large'), Buffer.alloc(1024 * 1024)]);
    const response = await sendSymbols(api, game, buildId, large, { filename: 'owls.exe' });
    assert.equal(response.body.error?.code, 4292);
    assert.deepEqual(await symbolBlobsOf(api, game), []);
    const bomb = await sendSymbols(api, game, buildId, gzipSync(Buffer.concat([programOf('b'), Buffer.alloc(1e8)])));
    assert.ok([4049, 4292].includes(bomb.body.error?.code ?? 0), JSON.stringify(bomb.body));
    assert.deepEqual(await symbolBlobsOf(api, game), []);
  });

  test('a list with files that wait can be read in pages', async () => {
    const { game, buildId } = await makeApiBuild();
    for (const seed of ['a', 'b', 'c']) await sendTo(game, buildId, programOf(seed));
    await addSymbols(api, game, buildId, symText({ file: 'owls.exe' }));
    const whole = await symbolsOf(api, game, buildId);
    const paged: SymbolRecord[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `build_id=${buildId}&limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await request(`${api.api}/tool/symbols?${query}`, { headers: game.keyHeaders });
      paged.push(...body.data.symbols);
      cursor = body.data.next_cursor;
    }
    assert.equal(whole.length, 4);
    assert.deepEqual(paged, whole);
  });
});

describe('a conversion', () => {
  let folder: string;
  let path: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chauffeur-convert-'));
    path = join(folder, 'owls.exe');
    await writeFile(path, programOf('fly'));
  });
  after(() => rm(folder, { recursive: true }));

  test('that takes too long or too much memory is ended, which is final', async () => {
    await assert.rejects(convertInThread({ path, folder }, { timeoutMs: 1, maxHeapMb: 256 }), (error) => {
      assert.ok(error instanceof ThreadTimeoutError);
      return /^Converting timed out/.test(reasonOf(error) ?? '');
    });
    assert.match(reasonOf(new ThreadCrashError('memory', 'full')) ?? '', /^Converting ran out of memory/);
    assert.equal(reasonOf(new ThreadCrashError('exit', 'killed')), undefined);
  });

  test('that fails because of the disk is tried again', async () => {
    const failing = convertInThread({ path: join(folder, 'missing'), folder }, { timeoutMs: 60_000, maxHeapMb: 256 });
    await assert.rejects(failing, (error) => reasonOf(error) === undefined);
  });
});

describe('with blobs on S3', () => {
  test('a file is read from there', async (t) => {
    const s3 = await startS3();
    if (s3 === null) return t.skip(S3_MISSING);
    Object.assign(process.env, s3.env);
    const remote = await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } });
    try {
      const game = await makeGame(remote);
      const buildId = await register(remote, game);
      const response = await sendSymbols(remote, game, buildId, programOf('s3'), { filename: 'owls.exe' });
      assert.equal(response.status, 201);
      const [symbol] = await untilCompiled(remote, game, buildId);
      assert.deepEqual([symbol?.state, symbol?.debug_file], ['compiled', 'owls.exe']);
      assert.deepEqual(await storedCountsOf(remote, game), { texts: 1, symbols: 1, blobs: 2 });
    } finally {
      await remote.stop();
      await s3.stop();
    }
  });
});

/** Waits until all symbols of the build are converted and compiled, or unreadable. */
function untilConverted(game: TestGame, buildId: string): Promise<SymbolRecord[]> {
  return untilCompiled(server, game, buildId);
}

/** A small program of Windows with a symbol for each function of the seed, and without a debug id. */
function programOf(seed: string, timestamp = 0x63cf138f): Uint8Array {
  const text = { name: '.text', address: 0x1000, bytes: new Uint8Array(256).fill(0x90), executable: true };
  const symbol = Buffer.alloc(18);
  symbol.write(seed.slice(0, 8), 'latin1');
  symbol.writeUInt32LE(0x10, 8);
  symbol.writeInt16LE(1, 12);
  symbol.writeUInt16LE(0x20, 14);
  symbol.writeUInt8(2, 16);
  const symbols = { count: 1, bytes: concat(symbol, words(4)) };
  return buildPe({ timestamp, imageSize: 0x21000, sections: [text], symbols });
}

async function removeSymbols(game: TestGame, buildId: string): Promise<void> {
  const url = `${server.api}/games/${game.uid}/builds/${buildId}/symbols`;
  const response = await request(url, { method: 'DELETE', headers: await signIn(server, game.owner) });
  assert.equal(response.status, 200);
}
