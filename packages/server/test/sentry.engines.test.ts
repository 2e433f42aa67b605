// What becomes of events in the form in which Sentry's SDKs for engines and phones send them.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrash, listCrashes } from '@chauffeur/contract/operations/crash-reports';
import { settleParts } from '../src/crash/sentry/receive/settle.job.ts';
import { readDumpFixture, readSymbolFixture } from './setup/crash-dumps.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { envelope, newEventId, sendEnvelope } from './setup/envelopes.ts';
import { picture } from './setup/images.ts';
import { fieldPart, filePart, multipartOf, type Part } from './setup/raw.ts';
import {
  anrEvent,
  cocoaEvent,
  dotnetEvent,
  electronEvent,
  godotEvent,
  tombstoneEvent,
  unityEvent,
  unityWebEvent,
  unrealEvent,
} from './setup/sentry-engines.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, untilCompiled } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

type Report = OutputOf<typeof getCrash>;
type Item = readonly [object, string | Buffer];
type Player = TestDsn & { readonly server: TestServer; readonly game: TestGame; readonly buildId: string };

async function start(): Promise<Player> {
  const game = await makeGame(server);
  const buildId = await register(server, game, { version: '1.2.0', os: 'windows' });
  return { server, game, buildId, ...(await makeDsn(server, game)) };
}

async function send(player: Player, event: object, files: readonly Item[] = [], id = newEventId()): Promise<string> {
  const items: readonly Item[] = [[{ type: 'event' }, JSON.stringify({ ...event, event_id: id })], ...files];
  const answer = await sendEnvelope(player, envelope({ event_id: id }, items));
  assert.equal(answer.status, 200, await answer.text());
  return id;
}

const file = (filename: string, content: string | Buffer, more: object = {}): Item => [
  { type: 'attachment', filename, ...more },
  content,
];
const minidump = () =>
  file('minidump.dmp', readDumpFixture('null_deref_inline'), { attachment_type: 'event.minidump' });

/** The reports of the game once all are processed, oldest first. */
async function reportsOf({ game }: Player): Promise<Report[]> {
  const headers = await signIn(server, game.owner);
  const get = async <Data>(path: string): Promise<Data> =>
    (await request(`${server.api}/games/${game.uid}${path}`, { headers })).body.data;
  const crashes = await until(async () => {
    const { crashes: listed } = await get<OutputOf<typeof listCrashes>>('/crashes');
    return listed.every(({ state }) => state === 'processed') && listed;
  });
  return (await Promise.all(crashes.map(({ crash_id: id }) => get<Report>(`/crashes/${id}`)))).toReversed();
}

async function onlyReportOf(player: Player): Promise<Report> {
  const [report, ...others] = await reportsOf(player);
  assert.deepEqual(others, []);
  return report!;
}

const ownOf = ({ event }: Report) =>
  event!.exceptions.map(({ frames }) => frames.filter(({ own }) => own).map(({ function: name }) => name));
const facetsOf = ({ facets }: Report, ...names: readonly string[]) =>
  names.map((name) => facets.find(({ facet }) => facet === name)?.value);
const filesOf = ({ attachments }: Report) => attachments.map(({ name, kind }) => [name, kind]);

describe('a game with Unity', () => {
  it('reports exceptions of IL2CPP by their methods, with a screenshot that comes later', async () => {
    const player = await start();
    const hierarchy = file('view-hierarchy.json', '{"rendering_system":"Unity","windows":[]}', {
      attachment_type: 'event.view_hierarchy',
      content_type: 'application/json',
    });
    const id = await send(player, unityEvent(), [hierarchy]);
    const screenshot = file('screenshot.jpg', await picture(8, 8, 'jpeg'), { content_type: 'image/jpeg' });
    await sendEnvelope(player, envelope({ event_id: id }, [screenshot]));
    await settleParts(server.ctx);
    const report = await onlyReportOf(player);
    const { kind, title, build_id: buildId, engine_version: engine, os } = report;
    assert.deepEqual(
      { kind, title, buildId, engine, os },
      {
        kind: 'crash',
        title: 'NullReferenceException | Owls.Player.Jump',
        buildId: player.buildId,
        engine: '6000.1.2f1',
        os: 'windows',
      },
    );
    assert.deepEqual(ownOf(report), [['Owls.Player.Jump', 'Owls.Player.Update']]);
    assert.deepEqual(
      facetsOf(report, 'gpu', 'driver', 'ram', 'cores', 'os_version', 'metadata.unity.active_scene_name'),
      ['NVIDIA GeForce RTX 3070', undefined, '32 GB', '16', 'Windows 11 22631', 'Mountains'],
    );
    assert.deepEqual(filesOf(report), [
      ['view-hierarchy.json', 'text'],
      ['screenshot.jpg', 'image'],
    ]);
  });

  it('reports an exception in a browser in the group of the same one elsewhere', async () => {
    const player = await start();
    await send(player, unityEvent());
    await send(player, unityWebEvent());
    const [desktop, web] = await reportsOf(player);
    assert.equal(web!.message, 'NullReferenceException: Object reference not set to an instance of an object.');
    assert.equal(web!.group_id, desktop!.group_id);
  });
});

it('a crash with Unreal has the stack of its dump, and the machine as the plug-in describes it', async () => {
  const player = await start();
  const log = file('Owls.log', 'LogInit: Display: Running engine for game: Owls');
  await send(player, unrealEvent(), [log, minidump(), file('screenshot.png', await picture(8, 8, 'png'))]);
  const report = await onlyReportOf(player);
  assert.deepEqual([report.kind, report.engine_version], ['crash', '5.6.1-44394996']);
  assert.match(report.title, /^null_deref_inline\+0x/);
  assert.ok(report.available.includes('dump'));
  assert.deepEqual(facetsOf(report, 'gpu', 'driver', 'cpu', 'ram', 'cores', 'metadata.configuration'), [
    'AMD Radeon RX 6800',
    '31.0.24002.92',
    'Intel Core i7-12700K',
    '32 GB',
    '12',
    'Shipping',
  ]);
  assert.deepEqual(filesOf(report), [
    ['Owls.log', 'text'],
    ['screenshot.png', 'image'],
  ]);
});

describe('a game with Godot', () => {
  it('reports errors of scripts, with the lines around them', async () => {
    const player = await start();
    await send(player, godotEvent());
    const report = await onlyReportOf(player);
    assert.deepEqual([report.kind, report.os, report.engine_version], ['error', 'linux', '4.5.1-stable (official)']);
    assert.match(report.title, /^SCRIPT ERROR: Invalid access to property .* \| player\.jump$/);
    assert.deepEqual(ownOf(report), [['player.jump', 'player._process']]);
    const [frame] = report.event!.exceptions[0]!.frames;
    assert.equal(frame!.source!.lines[frame!.source!.at], '\tself.wings.open()');
    assert.deepEqual(facetsOf(report, 'os_version', 'driver', 'locale'), ['SteamOS 3.6', '24.1.0', 'en-GB']);
    assert.doesNotMatch(JSON.stringify(report), /lives|\/home\/deck/);
  });

  it('reports errors of the engine by the function of the script that caused them', async () => {
    const player = await start();
    await send(player, godotEvent({ ofEngine: true }));
    assert.match((await onlyReportOf(player)).title, /^ERROR: Node not found: .* \| player\.jump$/);
  });
});

it('an exception of .NET is known by its cause, whose methods have no class twice', async () => {
  const player = await start();
  await send(player, dotnetEvent());
  const report = await onlyReportOf(player);
  assert.equal(report.kind, 'crash');
  assert.equal(report.title, 'FileNotFoundException | Owls.Level.Read');
  assert.deepEqual(
    report.event!.exceptions.map(({ type, relation }) => [type, relation]),
    [
      ['Owls.LevelException', 'thrown'],
      ['System.IO.FileNotFoundException', 'cause'],
    ],
  );
  assert.deepEqual(ownOf(report), [['Owls.Level.Load', 'Owls.Game.Main'], ['Owls.Level.Read']]);
});

/** Where the program of the dump crashed, and the addresses to which its callers return. */
const OFFSETS = [0x2ce8, 0x2d3a, 0x2d57, 0x2d77];

it('crashes on phones have the functions of the symbols, and are in the group of the dump', async () => {
  const player = await start();
  await addSymbols(server, player.game, player.buildId, readSymbolFixture('null_deref_inline'));
  await untilCompiled(server, player.game, player.buildId);
  await send(player, unrealEvent(), [minidump()]);
  await send(player, cocoaEvent({ offsets: OFFSETS }));
  await send(player, tombstoneEvent({ offsets: OFFSETS }));
  const [dump, ios, android] = await reportsOf(player);
  const namesOf = ({ stack }: Report) => stack.slice(0, 4).map(({ function: name, line }) => `${name}:${line}`);
  assert.deepEqual(namesOf(android!), namesOf(dump!));
  assert.deepEqual(namesOf(ios!), namesOf(dump!));
  assert.deepEqual([ios!.os, android!.os, ios!.reason, android!.reason], ['ios', 'android', 'SIGSEGV', 'SIGSEGV']);
  assert.equal(android!.title, dump!.title);
  assert.equal(ios!.title, dump!.title);
  assert.equal(android!.group_id, dump!.group_id);
  assert.equal(ios!.group_id, dump!.group_id);
  // What identifies a device stays out.
  assert.doesNotMatch(JSON.stringify(ios), /1f2e/);
});

it("an Android game that doesn't respond has one report, by what its main thread did", async () => {
  const player = await start();
  const session = {
    sid: randomUUID(),
    init: true,
    status: 'abnormal',
    abnormal_mechanism: 'anr_foreground',
    errors: 1,
  };
  const attributes = { started: new Date().toISOString(), attrs: { release: 'com.example.owls@1.2.0+12' } };
  await send(player, anrEvent(), [[{ type: 'session' }, JSON.stringify({ ...session, ...attributes })]]);
  const report = await onlyReportOf(player);
  assert.equal(report.title, 'ApplicationNotResponding: ANR | com.example.owls.Level.load');
  assert.equal(report.session_id, session.sid.replaceAll('-', ''));
});

describe('a dump of Electron', () => {
  const { breadcrumbs, tags, contexts, ...scope } = electronEvent();

  it('comes in an envelope with what the program knew', async () => {
    const player = await start();
    await send(player, electronEvent(), [minidump()]);
    checkElectron(await onlyReportOf(player));
  });

  it("comes in a form of Electron's own uploader, whose fields are pieces of JSON", async () => {
    const player = await start();
    const text = JSON.stringify({ breadcrumbs, tags, contexts, level: 'fatal', platform: 'native' });
    const pieces = [text.slice(0, 100), text.slice(100)];
    await sendForm(player, [
      ...[
        ['_companyName', ''],
        ['_productName', 'Owls'],
        ['_version', '1.2.0'],
        ['guid', randomUUID()],
        ['plat', 'Win32'],
        ['process_type', 'renderer'],
        ['prod', 'Electron'],
        ['ver', '42.1.0'],
        ['sentry___initialScope', JSON.stringify(scope)],
      ].map(([name, value]) => fieldPart(name!, value!)),
      // They come in any order.
      ...pieces.map((piece, index) => fieldPart(`sentry__${index + 1}`, piece)).toReversed(),
    ]);
    const report = await onlyReportOf(player);
    checkElectron(report);
    assert.equal(report.build_id, player.buildId);
  });

  function checkElectron(report: Report): void {
    assert.deepEqual([report.kind, report.available.includes('dump')], ['crash', true]);
    assert.deepEqual(facetsOf(report, 'metadata.event.process', 'metadata.exit.reason'), ['renderer', 'crashed']);
    assert.equal(report.event!.release, 'owls@1.2.0');
    assert.deepEqual(
      report.event!.breadcrumbs!.map(({ message }) => message),
      ['clicked play'],
    );
    assert.doesNotMatch(JSON.stringify(report), /token=1/);
  }
});

it('a program with Crashpad alone names the values of an event in brackets', async () => {
  const player = await start();
  await sendForm(player, [
    fieldPart('sentry[release]', 'owls@1.2.0'),
    fieldPart('sentry[tags][level_name]', 'mountains'),
    fieldPart('sentry[user][id]', 'player-7'),
    filePart(Buffer.from('car: 1'), { name: 'save', filename: 'save.yml' }),
  ]);
  const report = await onlyReportOf(player);
  assert.deepEqual([report.kind, report.build_id], ['crash', player.buildId]);
  assert.equal(report.metadata.level_name, 'mountains');
  assert.deepEqual(filesOf(report), [['save.yml', 'text']]);
});

/** Sends a form with a dump, compressed as Crashpad does. */
async function sendForm(player: Player, parts: readonly Part[]): Promise<void> {
  const dump = filePart(readDumpFixture('null_deref_inline'), { name: 'upload_file_minidump', filename: 'a.dmp' });
  const headers = { 'content-type': 'multipart/form-data; boundary=B', 'content-encoding': 'gzip' };
  const path = `minidump/?sentry_key=${player.key}`;
  const answer = await sendEnvelope(player, gzipSync(multipartOf([...parts, dump])), { path, headers });
  assert.equal(answer.status, 200, await answer.text());
}

it("a crash of sentry-native's newest back end is one report, by its dump", async () => {
  const player = await start();
  const { exception, threads, debug_meta } = cocoaEvent({ offsets: OFFSETS });
  const value = { ...exception.values[0]!, type: 'SIGSEGV', value: 'Fatal crash: SIGSEGV' };
  const mechanism = {
    type: 'signalhandler',
    synthetic: true,
    handled: false,
    meta: { signal: { number: 11, name: 'SIGSEGV' } },
  };
  const event = {
    platform: 'native',
    level: 'fatal',
    release: 'owls@1.2.0',
    sdk: { name: 'sentry.native', version: '0.16.3' },
    exception: { values: [{ ...value, mechanism }] },
    threads,
    debug_meta,
  };
  const id = await send(player, event, [minidump()]);
  // The session says so at the next start, and a client may send the report again.
  await send(player, event, [minidump()], id);
  const report = await onlyReportOf(player);
  assert.equal(report.reason, 'SIGSEGV / SEGV_MAPERR');
  assert.ok(report.available.includes('dump'));
});
