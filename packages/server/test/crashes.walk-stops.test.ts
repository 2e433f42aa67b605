// Modules that stop the walks of a group's reports: counted from stored walks, explained, and gone once their unwind data
// was uploaded, as that of a library of Windows without a PDB.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { buildPe, concat, words } from '../../debug-symbols/test/build-pe.ts';
import { writeAmd64Context, writeArm64Context } from '../../minidump/test/dump-writer/contexts.ts';
import { writeDump } from '../../minidump/test/dump-writer/dump-writer.ts';
import type { WalkStop } from '../src/crash/crashes/process/walk-stops.ts';
import { changed } from '../src/kernel/database/db.ts';
import { reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { addBuild, addReport, callAs, makeSharedGame } from './setup/crash-reports.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, sendSymbols, untilCompiled } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
});
after(() => server.stop());

const GAME = {
  base: 0x140000000n,
  guid: '0123456789ABCDEF0123456789ABCDEF',
  id: '0123456789ABCDEF0123456789ABCDEF1',
};
const LIBRARY = { base: 0x180000000n, timestamp: 0x63cf138f, size: 0x10000 };
const SP = 0x7000_0000n;
/** More than the walker searches for a return address. */
const FRAME_SIZE = 0x1010;
const STEP_SIZE = 0x20;

type Cpu = 'x64' | 'arm64';

/** The rules of the game's functions, in which a call stores its return address at the top of the frame. */
const RULES: Readonly<Record<Cpu, string>> = {
  x64: `.cfa: $rsp ${STEP_SIZE} + .ra: .cfa -8 + ^`,
  arm64: `.cfa: sp ${STEP_SIZE} + .ra: .cfa -8 + ^`,
};

function symbolsOfGame(cpu: Cpu): Buffer {
  const functions = ['Game::Step()', 'Game::Run()'].map((name, index) => {
    const at = (0x1000 + 0x100 * index).toString(16);
    return `FUNC ${at} 100 0 ${name}\nSTACK CFI INIT ${at} 100 ${RULES[cpu]}`;
  });
  return Buffer.from(
    `MODULE windows ${cpu === 'x64' ? 'x86_64' : 'arm64'} ${GAME.id} game.pdb\n${functions.join('\n')}\nFUNC 1200 100 0 main\nSTACK CFI INIT 1200 100 ${RULES[cpu].replace(/\.ra: .*/, '.ra: .undef')}\n`,
  );
}

/** A library with one function, which has a large frame, and no debug information: only its unwind data says so. */
function libraryOf(cpu: Cpu): Uint8Array {
  // sub rsp, 0x1008, with the return address above; or str x30, [sp, -16]!, then sub sp, sp, 0x1000.
  const xdata =
    cpu === 'x64' ? concat([1, 7, 2, 0, 7, 1], [((FRAME_SIZE - 8) / 8) & 0xff, ((FRAME_SIZE - 8) / 8) >> 8]) : words(0);
  const packed = (1 | (64 << 2) | (1 << 21) | ((FRAME_SIZE / 16) << 23)) >>> 0;
  const pdata = cpu === 'x64' ? words(0x1000, 0x1100, 0x2000) : words(0x1000, packed);
  return buildPe({
    machine: cpu === 'x64' ? 0x8664 : 0xaa64,
    timestamp: LIBRARY.timestamp,
    imageSize: LIBRARY.size,
    sections: [
      { name: '.text', address: 0x1000, bytes: new Uint8Array(0x100).fill(0x90), executable: true },
      { name: '.xdata', address: 0x2000, bytes: xdata },
      { name: '.pdata', address: 0x3000, bytes: pdata },
    ],
    directories: { 3: [0x3000, pdata.length] },
  });
}

/** A crash in the library, which `Game::Step` called, which `Game::Run` called, which `main` called. */
function dumpOf(cpu: Cpu): Uint8Array {
  const stack = Buffer.alloc(0x2000);
  // The library's frame has the return address at its top on x64, and in the last 16 bytes on arm64.
  const link = FRAME_SIZE - (cpu === 'x64' ? 8 : 16);
  stack.writeBigUInt64LE(GAME.base + 0x1020n, link);
  stack.writeBigUInt64LE(GAME.base + 0x1120n, FRAME_SIZE + STEP_SIZE - 8);
  stack.writeBigUInt64LE(GAME.base + 0x1220n, FRAME_SIZE + 2 * STEP_SIZE - 8);
  const at = LIBRARY.base + 0x1050n;
  const context =
    cpu === 'x64'
      ? writeAmd64Context({ rip: at, rsp: SP })
      : writeArm64Context({ pc: at, sp: SP, lr: at - 0x10n, fp: 1n });
  return writeDump({
    system: { processorArchitecture: cpu === 'x64' ? 9 : 12, platformId: 2, version: [10, 0, 22631], cpuCount: 8 },
    threads: [{ id: 1, context, stack: { start: SP, bytes: stack } }],
    exception: { threadId: 1, code: 0xc0000005, context },
    modules: [
      {
        name: 'C:\\Games\\Owls\\game.exe',
        base: GAME.base,
        size: 0x100000,
        codeView: { kind: 'pdb70', guid: GAME.guid, age: 1, file: 'game.pdb' },
      },
      { name: 'C:\\Games\\Owls\\physics.dll', ...LIBRARY },
    ],
  });
}

async function stopsOf(game: TestGame, groupId: string) {
  const url = `${server.api}/games/${game.uid}/crash-groups/${groupId}`;
  const { status, body } = await request(url, { headers: await signIn(server, game.owner) });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.walk_stops;
}

describe('a library of Windows without a PDB', () => {
  for (const cpu of ['x64', 'arm64'] as const)
    test(`stops the walk on ${cpu} until it was uploaded itself`, async () => {
      const game = await makeGame(server);
      const buildId = await register(server, game, { version: '1.0.0', arch: cpu === 'x64' ? 'x86_64' : 'arm64' });
      await addSymbols(server, game, buildId, symbolsOfGame(cpu));
      await untilCompiled(server, game, buildId);
      const sent = await reportCrash(server, game, buildId, { dump: dumpOf(cpu) });
      const stopped = await untilDone(server, sent);
      assert.deepEqual(
        stopped.frames.map(({ module, trust }) => `${module} ${trust}`),
        ['physics.dll context'],
      );
      const { reports, modules } = await stopsOf(game, stopped.group_id!);
      assert.equal(reports, 1);
      const [physics, ...others] = modules;
      assert.deepEqual(others, []);
      assert.match(
        physics.help,
        /^Nothing was uploaded for it\. Upload physics\.dll itself: its unwind data is enough\./,
      );
      assert.deepEqual(
        [physics.module, physics.debug_file, physics.debug_id, physics.os, physics.own, physics.why],
        ['physics.dll', 'physics.dll', '63cf138f10000', 'Windows NT', true, 'never_uploaded'],
      );
      assert.deepEqual([physics.reports, physics.stopped], [1, 1]);

      const response = await sendSymbols(server, game, buildId, libraryOf(cpu), { filename: 'physics.dll' });
      assert.equal(response.status, 201, JSON.stringify(response.body));
      const walked = await until(async () => {
        const row = await reportRow(server, sent);
        return row.functions.length > 0 && row;
      });
      assert.deepEqual(
        walked.frames.slice(1).map(({ function: name, trust }) => `${name} ${trust}`),
        ['Game::Step() cfi', 'Game::Run() cfi', 'main cfi'],
      );
      assert.deepEqual(await stopsOf(game, walked.group_id!), { reports: 1, modules: [] });
    });
});

describe('the modules that stopped the walks of a group', () => {
  const stop = (fields: Partial<WalkStop>): WalkStop => ({
    module: 'physics.dll',
    debug_file: 'physics.pdb',
    debug_id: 'AB1',
    version: '5.1.0',
    os: 'Windows NT',
    cpu: 'amd64',
    own: true,
    how: 'guessed',
    ...fields,
  });

  test('are counted from the newest reports of all merged groups, without reports of earlier releases', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game, { version: '1.0.0' });
    const report = (name: string, stops: WalkStop[]) => addReport(server.ctx, { game, buildId, stack: [name], stops });
    await report('Door::open', [stop({}), stop({ module: 'audio.dll', debug_file: 'audio.pdb', how: 'stopped' })]);
    await report('Door::open', [stop({ how: 'stopped' })]);
    await report('Door::close', [stop({})]);
    const old = await report('Door::open', [stop({})]);
    await changed(server.ctx.db, sql`update crash_reports set walk_stops = null where report_id = ${old}`);
    const { groups } = (await callAs(server, game.owner, `/games/${game.uid}/crash-groups`)).body.data;
    const into = groups.find(({ title }: { title: string }) => title === 'Door::open').group_id;
    const other = groups.find(({ title }: { title: string }) => title === 'Door::close').group_id;
    const path = `/games/${game.uid}/crash-groups/${into}`;
    const counted = async () => {
      const { reports, modules } = (await callAs(server, game.owner, path)).body.data.walk_stops;
      const lines = modules.map(
        (each: { module: string; reports: number; stopped: number }) =>
          `${each.module} ${each.reports} ${each.stopped}`,
      );
      return [reports, ...lines];
    };
    assert.deepEqual(await counted(), [2, 'physics.dll 2 1', 'audio.dll 1 1']);
    const merged = await callAs(server, game.owner, `/games/${game.uid}/crash-groups/merge`, {
      method: 'POST',
      body: { group_ids: [into, other], into },
    });
    assert.equal(merged.status, 200, JSON.stringify(merged.body));
    assert.deepEqual(await counted(), [3, 'physics.dll 3 1', 'audio.dll 1 1']);
  });
});
