// Which symbols the modules of a crash dump get: by id under any name, by the code id, and when symbols of an earlier
// release are counted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { writeAmd64Context } from '../../minidump/test/dump-writer/contexts.ts';
import type { ModuleDescription } from '../../minidump/test/dump-writer/description.ts';
import { writeDump } from '../../minidump/test/dump-writer/dump-writer.ts';
import { countOldContents, sweepSymbols } from '../src/crash/symbols/sweep.job.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import {
  groupsOf,
  readDumpFixture,
  readSymbolFixture,
  reportCrash,
  reportRow,
  untilDone,
} from './setup/crash-dumps.ts';
import { callAsSentryCli, chunkForm, sendChunks, sha1, tokenOf } from './setup/sentry-cli.ts';
import { makeGame, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { addSymbols, untilCompiled } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const ZEROS = '0'.repeat(33);
const ID = '8EB9ED96B569A6A04D6CB5C57A4568B80';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
});
after(() => server.stop());

async function openGame(os?: string) {
  const game = await makeGame(server);
  const buildId = await register(server, game, os === undefined ? {} : { os });
  const headers = await signIn(server, game.owner);
  const read = async (path: string) =>
    (await request(`${server.api}/games/${game.uid}/${path}`, { headers })).body.data;
  return { game, buildId, read };
}

/** A real dump, in which the program has another name of the same length. */
function renameProgram(name: string): Buffer {
  const dump = readDumpFixture('null_deref_inline');
  const [from, to] = ['null_deref_inline', name].map((text) => Buffer.from(text, 'utf16le')) as [Buffer, Buffer];
  assert.equal(from.length, to.length);
  for (let at = dump.indexOf(from); at >= 0; at = dump.indexOf(from, at)) to.copy(dump, at);
  return dump;
}

/** A crash at offset 0x12 of a Windows program that was built with MinGW. */
function writeMingwDump(module: Partial<ModuleDescription>): Uint8Array {
  const context = writeAmd64Context({ rip: 0x140000012n, rsp: 0x7000n });
  return writeDump({
    system: { processorArchitecture: 9, platformId: 2, cpuCount: 4 },
    threads: [{ id: 1, context }],
    exception: { threadId: 1, code: 0xc0000005, context },
    modules: [
      { name: 'C:\\Games\\Owls\\owls.exe', base: 0x140000000n, size: 0x21000, timestamp: 0x63cf138f, ...module },
    ],
  });
}

const MINGW_SYMBOLS = `MODULE windows x86_64 ${ZEROS} owls.exe
INFO CODE_ID 63CF138F21000 owls.exe
FILE 0 owls.cc
FUNC 10 8 0 owls::fly()
10 8 7 0
`;

test('a library in an APK, or a renamed program, has the symbols of its debug id', async () => {
  const { game, buildId } = await openGame();
  await addSymbols(server, game, buildId, readSymbolFixture('null_deref_inline'));
  await untilCompiled(server, game, buildId);
  const dump = renameProgram('base_arm64_v8.apk');
  const report = await untilDone(server, await reportCrash(server, game, buildId, { dump }));
  assert.equal(report.signature, 'render::measure');
  assert.ok(report.missing_symbols.every((name) => !name.startsWith('base_arm64')));
});

test('a report has the symbols of no build once sentry-cli uploads them, also under another name', async () => {
  const { game, buildId } = await openGame();
  const dumps = [readDumpFixture('null_deref_inline'), renameProgram('base_arm64_v8.apk')];
  const reports = await Promise.all(dumps.map((dump) => reportCrash(server, game, buildId, { dump })));
  for (const report of reports) assert.notEqual((await untilDone(server, report)).signature, 'render::measure');
  const file = readSymbolFixture('null_deref_inline');
  assert.equal((await sendChunks(server, tokenOf(game), chunkForm([file]))).status, 200);
  const wanted = { [sha1(file)]: { name: 'game.sym', chunks: [sha1(file)] } };
  const path = `/projects/x/${game.slug}/files/difs/assemble/`;
  assert.equal((await callAsSentryCli(server, tokenOf(game), 'POST', path, wanted)).status, 200);
  for (const report of reports)
    await until(async () => (await reportRow(server, report)).signature === 'render::measure');
});

test('reports that missed symbols under any name are processed again when they arrive', async () => {
  const { game, buildId, read } = await openGame();
  const names = ['base_arm64_v8.apk', 'my (deleted) game'];
  const reports: string[] = [];
  for (const name of names) {
    const { report_id: reportId, missing_symbols: missing } = await untilDone(
      server,
      await reportCrash(server, game, buildId, { dump: renameProgram(name) }),
    );
    assert.ok(missing.includes(`${name}/${ID}`), missing.join());
    reports.push(reportId);
  }
  const listed = await read(`builds/${buildId}/symbols/missing`);
  assert.deepEqual(
    listed.modules
      .filter((module: { debug_id: string }) => module.debug_id === ID)
      .map((module: { module: string }) => module.module)
      .sort(),
    names,
  );
  await addSymbols(server, game, buildId, readSymbolFixture('null_deref_inline'));
  for (const reportId of reports)
    await until(async () => (await reportRow(server, reportId)).signature === 'render::measure');
  assert.deepEqual(
    (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
    [['render::measure', 2]],
  );
});

test('a Windows program without a debug id has the symbols of its code id', async () => {
  const { game, buildId, read } = await openGame('windows');
  const emptyRecord = { kind: 'pdb70', guid: '0'.repeat(32), age: 0, file: 'C:\\Games\\Owls\\owls.exe' } as const;
  const reports: string[] = [];
  for (const module of [{}, { codeView: emptyRecord }, { name: 'C:\\Games\\Renamed.exe' }]) {
    const dump = writeMingwDump(module);
    const { report_id: reportId, signature } = await untilDone(
      server,
      await reportCrash(server, game, buildId, { dump }),
    );
    assert.match(signature ?? '', /\.exe\+0x12$/);
    reports.push(reportId);
  }
  const crash = await read(`crashes/${reports[0]}`);
  assert.deepEqual(
    crash.missing_symbols.map((missing: Record<string, string>) => [missing.module, missing.debug_id, missing.why]),
    [['owls.exe', '63cf138f21000', 'never_uploaded']],
  );
  const { modules } = await read(`crashes/${reports[0]}/stack`);
  assert.deepEqual([modules[0].debug_file, modules[0].debug_id], ['owls.exe', '63cf138f21000']);
  await addSymbols(server, game, buildId, Buffer.from(MINGW_SYMBOLS));
  for (const reportId of reports)
    await until(async () => (await reportRow(server, reportId)).signature === 'owls::fly');
  assert.deepEqual((await read(`crashes/${reports[0]}`)).missing_symbols, []);
});

test('a module without any id is not listed as missing symbols', async () => {
  const { game, buildId } = await openGame('windows');
  const dump = writeMingwDump({ timestamp: 0 });
  const report = await untilDone(server, await reportCrash(server, game, buildId, { dump }));
  assert.deepEqual(report.missing_symbols, []);
});

test('symbols of an earlier release are counted, get their code id, and are used for reports that missed them', async () => {
  const { game, buildId } = await openGame('windows');
  const missed = await untilDone(server, await reportCrash(server, game, buildId, { dump: writeMingwDump({}) }));
  const [symbol] = await addSymbols(server, game, buildId, Buffer.from(MINGW_SYMBOLS));
  await until(async () => (await reportRow(server, missed.report_id)).signature === 'owls::fly');
  // The previous release stored them like this.
  await changed(server.ctx.db, sql`update symbols set code_id = '', debug_id = ${ZEROS} where game_id = ${game.uid}`);
  await changed(
    server.ctx.db,
    sql`update symbol_texts set functions = null, detail = null, records = null, unwind = null where game_id = ${game.uid}`,
  );
  const second = await untilDone(server, await reportCrash(server, game, buildId, { dump: writeMingwDump({}) }));
  assert.equal(second.signature, 'owls.exe+0x12');
  await sweepSymbols(server.ctx);
  await until(async () => (await reportRow(server, second.report_id)).signature === 'owls::fly');
  await countOldContents(server.ctx);
  const stored = await onlyRow(
    server.ctx.db,
    sql`select debug_id, code_id, functions, detail, records from symbols join symbol_texts using (game_id, checksum)
      where symbol_uid = ${symbol!.symbol_uid}`,
  );
  const code = '63cf138f21000';
  assert.deepEqual(stored, { debug_id: code, code_id: code, functions: 1, detail: 3, records: 2 });
});

test('a library whose only public name is far away is shown as module and offset', async () => {
  const { game, buildId } = await openGame('windows');
  const exports = `${MINGW_SYMBOLS.split('FILE')[0]}PUBLIC 8 0 near\n`;
  await addSymbols(server, game, buildId, Buffer.from(exports));
  await untilCompiled(server, game, buildId);
  const signatureAt = async (offset: bigint) => {
    const context = writeAmd64Context({ rip: 0x140000000n + offset, rsp: 0x7000n });
    const dump = writeDump({
      system: { processorArchitecture: 9, platformId: 2, cpuCount: 4 },
      threads: [],
      exception: { threadId: 9, code: 0xc0000005, context },
      modules: [{ name: 'C:\\owls.exe', base: 0x140000000n, size: 0x21000, timestamp: 0x63cf138f }],
    });
    return (await untilDone(server, await reportCrash(server, game, buildId, { dump }))).signature;
  };
  assert.deepEqual([await signatureAt(0x12n), await signatureAt(0x12345n)], ['near', 'owls.exe+0x12345']);
});
