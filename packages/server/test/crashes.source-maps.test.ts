// Stacks of minified scripts and renamed Java: resolved when a report is grouped, shown with source lines, and read again
// when source maps and mappings arrive.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { buildMinifiedGame, type MinifiedGame } from '../../sentry/test/minified-game.ts';
import { recordMappings, storeMapping } from '../src/crash/symbols/mappings/store-mapping.ts';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { rows } from '../src/kernel/database/db.ts';
import { requireFreeStorage } from '../src/ship/usage/usage.ts';
import { readDumpFixture, readSymbolFixture, reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { report } from './setup/crashes.ts';
import { makeDsn } from './setup/dsns.ts';
import { envelope, newEventId, sendEnvelope } from './setup/envelopes.ts';
import { reportEvent } from './setup/sentry-events.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;
let built: MinifiedGame;
let headers: Record<string, string>;
before(async () => {
  [server, built] = await Promise.all([startServer(), buildMinifiedGame()]);
  game = await makeGame(server);
  headers = await signIn(server, game.owner);
});
after(() => server.stop());

const URL = 'https://games.example.com/play/1/assets/game.js?v=3';
const ID = '85314830-023f-4cf1-a267-535f4e37bb17';
const MAPPING_ID = '5cd8e873-1127-5276-81b7-8ff25043ecfd';

let version = 0;
const makeBuild = () => register(server, game, { version: `1.0.${++version}`, os: 'web', arch: 'wasm32' });

type Address = { buildId?: string; release?: string; debugId?: string };

async function addMaps(address: Address, { script, map } = built): Promise<void> {
  const files = [
    { kind: 'script', fileName: 'game.js', url: '~/assets/game.js', text: script },
    { kind: 'source_map', fileName: 'game.js.map', url: '~/assets/game.js.map', text: map },
  ] as const;
  const mappings = [];
  for (const { text, ...file } of files) {
    const storage = await requireFreeStorage(server.ctx, game.uid);
    const source = bytesOfBuffer(Buffer.from(text));
    mappings.push(await storeMapping(server.ctx, game.uid, { ...file, ...address, source, storage }));
  }
  await recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings });
}

const eventOf = (more: object = {}) => ({
  platform: 'javascript',
  exception: [{ type: 'RangeError', value: 'lost', stacktrace: { frames: built.framesAt(URL) } }],
  ...more,
});

async function readReport(id: string) {
  const { body } = await request(`${server.api}/games/${game.uid}/crashes/${id}`, { headers });
  return body.data;
}

const isResolved = ({ stack }: { stack: Frame[] }) => stack[0]?.function === 'player.explodeLoudly';

async function untilResolved(id: string) {
  return until(async () => {
    const found = await readReport(id);
    return isResolved(found) && found;
  });
}

describe('a report of a minified script', () => {
  test('is grouped by the functions of the sources, and shows their lines', async () => {
    const buildId = await makeBuild();
    await addMaps({ buildId });
    const id = await reportEvent(server, game, buildId, eventOf());
    const found = await untilResolved(id);
    assert.deepEqual(
      found.stack.slice(0, 3).map(({ function: name, file, line }: Frame) => `${name} ${file}:${line}`),
      ['player.explodeLoudly player.ts:8', 'player.takeDamage player.ts:10', 'main.onTick main.ts:6'],
    );
    const [frame] = found.event.exceptions[0].frames;
    assert.equal(frame.source.lines[frame.source.at].trim().slice(0, 21), 'throw new RangeError(');
    assert.equal(frame.source.first_line, 3);
    assert.deepEqual(found.missing_symbols, []);
  });

  test('that came before its source map moves to the group of the sources when the map arrives', async () => {
    const buildId = await makeBuild();
    const image = { type: 'sourcemap', code_file: URL, debug_id: ID };
    const id = await reportEvent(server, game, buildId, eventOf({ debug_meta: { images: [image] } }));
    const before = await until(async () => {
      const found = await readReport(id);
      return found.group_id !== null && found;
    });
    assert.deepEqual(
      before.missing_symbols.map(({ module, debug_id, why }: Missing) => [module, debug_id, why]),
      [['game.js', '85314830023F4CF1A267535F4E37BB170', 'never_uploaded']],
    );
    await addMaps({ debugId: ID });
    const after = await untilResolved(id);
    assert.notEqual(after.group_id, before.group_id);
    assert.deepEqual(after.missing_symbols, []);
  });

  test('has the debug id of an image whose address another integration has changed', async () => {
    const buildId = await makeBuild();
    const debugId = '2b4c0f11-7a0e-4e0b-8d8e-1d2a9c0f4aa1';
    await addMaps({ debugId }, await buildMinifiedGame('moved'));
    const images = [
      { type: 'sourcemap', code_file: 'file:///C:/Owls/resources/renamed.js', debug_id: debugId },
      { type: 'sourcemap', code_file: 'file:///C:/Owls/resources/other.js', debug_id: ID },
    ];
    const frames = built.framesAt('app:///Owls/resources/renamed.js');
    const exception = [{ type: 'RangeError', value: 'lost', stacktrace: { frames } }];
    await untilResolved(await reportEvent(server, game, buildId, eventOf({ exception, debug_meta: { images } })));
  });

  test('is found by its release, too, and by no other one', async () => {
    const buildId = await makeBuild();
    await addMaps({ release: `thegame@1.0.${version}` }, await buildMinifiedGame('release'));
    const other = await reportEvent(server, game, await makeBuild(), eventOf({ release: 'thegame@9.9.9' }));
    await untilDone(server, other);
    assert.ok(!isResolved(await readReport(other)));
    const id = await reportEvent(server, game, buildId, eventOf({ release: `thegame@1.0.${version - 1}` }));
    await untilResolved(id);
  });

  test('without any SDK is resolved as well, now and when the map comes later', async () => {
    const buildId = await makeBuild();
    const metadata = { stack: built.stackAt(URL).slice(0, 1000) };
    const send = async () =>
      (await report({ server, game, buildId }, { os: 'web', message: 'lost', metadata })).body.data.id;
    const early = await send();
    await until(async () => (await readReport(early)).group_id !== null);
    await addMaps({ buildId });
    const [first, second] = [await untilResolved(early), await untilResolved(await send())];
    assert.equal(first.group_id, second.group_id);
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${early}/stack`, { headers });
    assert.equal(body.data.crashed.frames[0].file, 'player.ts');
    assert.equal(body.data.crashed.frames[0].line, 8);
    const { source } = body.data.crashed.frames[0];
    assert.equal(source.lines[source.at].trim().slice(0, 21), 'throw new RangeError(');
    assert.equal(source.first_line + source.at, 8);
    assert.equal(body.data.crashed.frames.at(-1).source.lines.length, 8);
    assert.deepEqual(
      first.stack.map((frame: Sourced) => frame.source),
      body.data.crashed.frames.map((frame: Sourced) => frame.source),
    );
  });
});

describe('a stack in the log of a report', () => {
  const NOISE = 'frame 1 took 16 ms\n'.repeat(2000);
  const logWith = (stack: string) => `${NOISE}${stack.replaceAll(/^/gm, '[12:00:07.123] [main/ERROR]: ')}\nGoodbye\n`;

  /** Sends a report whose log arrives after it. */
  async function sendLog(buildId: string, log: string, more: object = {}): Promise<string> {
    const { body } = await report(
      { server, game, buildId },
      { os: 'web', message: 'It ended', has_log: true, ...more },
    );
    const sent = await request(body.data.uploads.log.url, { method: 'PUT', body: log });
    assert.equal(sent.status, 200);
    return body.data.id;
  }
  /** Sends a message of Sentry's SDK, and a log with it or after it. */
  async function sendMessage(event: object, log: string, isApart = false): Promise<string> {
    const { projectNo, key } = await makeDsn(server, game, randomUUID());
    const eventId = newEventId();
    const message = `It ended ${eventId}`;
    const sent = { event_id: eventId, level: 'fatal', message, release: `owls@1.0.${version}`, ...event };
    const items = [
      [{ type: 'event' }, JSON.stringify(sent)],
      [{ type: 'attachment', filename: 'player.log' }, log],
    ] as const;
    const send = async (part: readonly (readonly [object, string])[]) =>
      (await sendEnvelope({ server, projectNo, key }, envelope({ event_id: eventId }, part))).status;
    if (isApart) {
      assert.equal(await send(items.slice(0, 1)), 200);
      const isGrouped = sql`select from crash_reports where message = ${message} and group_id is not null`;
      await until(async () => (await rows(server.ctx.db, isGrouped)).length === 1);
    }
    assert.equal(await send(isApart ? items.slice(1) : items), 200);
    return until(async () => {
      const ids = sql<{ report_id: string }>`select report_id from crash_reports where message = ${message}`;
      return (await rows(server.ctx.db, ids))[0]?.report_id;
    });
  }
  const untilFirst = (id: string, name: string) =>
    until(async () => {
      const found = await readReport(id);
      return found.stack[0]?.function === name && found;
    });

  test('of a minified script is resolved, now and when the map comes later', async () => {
    const buildId = await makeBuild();
    const early = await sendLog(buildId, logWith(built.stackAt(URL)));
    await until(async () => (await readReport(early)).stack.length > 0);
    await addMaps({ buildId });
    const [first, second] = [
      await untilResolved(early),
      await untilResolved(await sendLog(buildId, logWith(built.stackAt(URL)))),
    ];
    assert.equal(first.group_id, second.group_id);
    const { source } = first.stack[0];
    assert.equal(source.lines[source.at].trim().slice(0, 21), 'throw new RangeError(');
  });

  test('is found by the debug ids of the event, if a client of Sentry sent it', async () => {
    await makeBuild();
    const debugId = '3c2f8d11-0b4e-4a90-8b7e-55d2a9c0f411';
    await addMaps({ debugId }, await buildMinifiedGame('log'));
    const place = 'app:///renamed.js';
    const images = [{ type: 'sourcemap', code_file: place, debug_id: debugId }];
    const event = { platform: 'javascript', debug_meta: { images } };
    await untilResolved(await sendMessage(event, logWith(built.stackAt(place))));
    await untilResolved(await sendMessage(event, logWith(built.stackAt(place)), true));
  });

  test('of renamed Java is resolved, with the mapping that the event names or that of the build', async () => {
    const stack = 'a.c: lost\n\tat a.b.a(SourceFile:1)\n\tat java.lang.Thread.run(Thread.java:9)';
    const text = 'com.example.Owl -> a.b:\n    1:1:void fly():31 -> a\ncom.example.Lost -> a.c:\n';
    const debugId = '9e0c7f64-2f1c-4a0c-a7d5-0a7b6e2b7c11';
    const add = async (address: Address) => {
      const storage = await requireFreeStorage(server.ctx, game.uid);
      const source = bytesOfBuffer(Buffer.from(text));
      const upload = { kind: 'proguard', fileName: 'mapping.txt', ...address, source, storage } as const;
      const mappings = [await storeMapping(server.ctx, game.uid, upload)];
      await recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings });
    };
    const buildId = await makeBuild();
    const early = await sendLog(buildId, logWith(stack));
    await until(async () => (await readReport(early)).stack[0]?.function === 'a.b.a');
    await add({ buildId });
    const found = await untilFirst(early, 'com.example.Owl.fly');
    assert.match(String((await reportRow(server, early)).signature), /^Lost: lost \| com\.example\.Owl\.fly$/);
    assert.equal(found.stack[1].file, 'Thread.java');
    await makeBuild();
    await add({ debugId });
    const images = [{ type: 'proguard', uuid: debugId }];
    await untilFirst(
      await sendMessage({ platform: 'java', debug_meta: { images } }, logWith(stack)),
      'com.example.Owl.fly',
    );
  });
});

describe('the debug ids of a report without any SDK', () => {
  test('lead to the maps of scripts that have another name and no build', async () => {
    const buildId = await makeBuild();
    const debugId = '1f6bd7a0-5a5e-4c53-9d2f-0d4b5c1f7f11';
    await addMaps({ debugId }, await buildMinifiedGame('ids'));
    const url = 'https://cdn.example.com/renamed/4f2a.js';
    const stack = built.stackAt(url).slice(0, 1000);
    const send = async (ids: unknown) =>
      await report({ server, game, buildId }, { os: 'web', message: 'lost', metadata: { stack }, debug_ids: ids });
    const id = (await send({ [`${url}?v=1`]: debugId, 'https://cdn.example.com/b.js': 7 })).body.data.id;
    await untilResolved(id);
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${id}/stack`, { headers });
    assert.ok(body.data.crashed.frames[0].source.lines.length > 5);
    const other = (await send({ [url]: debugId.replace('1', '2') })).body.data.id;
    const missing = await until(async () => {
      const found = await readReport(other);
      return found.group_id !== null && found.missing_symbols;
    });
    assert.deepEqual(
      missing.map(({ module, debug_id: id }: Missing) => `${module} ${id}`),
      ['4f2a.js 2F6BD7A05A5E4C539D2F0D4B5C1F7F110'],
    );
    assert.equal((await send('x')).status, 400);
  });
});

describe('a report of renamed Java', () => {
  test('gets its classes, methods and lines back', async () => {
    const buildId = await makeBuild();
    const text =
      '# compiler: R8\ncom.example.Player -> a.b:\n    1:1:void com.example.Health.fail():40 -> a\n    1:1:void hit(int):21 -> a\ncom.example.GameOver -> a.c:\n';
    const storage = await requireFreeStorage(server.ctx, game.uid);
    const frames = [
      { module: 'java.lang.Thread', function: 'run', filename: 'Thread.java', lineno: 9, in_app: false },
      { module: 'a.b', function: 'a', filename: 'SourceFile', lineno: 1, in_app: true },
    ];
    const images = [{ type: 'proguard', uuid: MAPPING_ID }];
    const event = {
      platform: 'java',
      exception: [{ type: 'c', module: 'a', value: 'x', stacktrace: { frames } }],
      debug_meta: { images },
    };
    const id = await reportEvent(server, game, buildId, event);
    const missing = await until(async () => {
      const found = await readReport(id);
      return found.group_id !== null && found.missing_symbols;
    });
    assert.equal(missing[0].module, 'mapping.txt');
    const source = bytesOfBuffer(Buffer.from(text));
    const mapping = await storeMapping(server.ctx, game.uid, {
      kind: 'proguard',
      fileName: 'mapping.txt',
      debugId: MAPPING_ID,
      source,
      storage,
    });
    await recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings: [mapping] });
    const found = await until(async () => {
      const read = await readReport(id);
      return read.stack[0]?.function?.includes('Health') && read;
    });
    assert.deepEqual(
      found.stack.slice(0, 2).map(({ function: name, file, line }: Frame) => `${name} ${file}:${line}`),
      ['com.example.Health.fail Health.java:40', 'com.example.Player.hit Player.java:21'],
    );
    assert.equal(found.event.exceptions[0].type, 'GameOver');
    assert.deepEqual(found.missing_symbols, []);
  });
});

describe('a report of renamed Java that names no mapping', () => {
  test('is read with the mapping of its build, also if that comes later', async () => {
    const buildId = await makeBuild();
    const frames = [{ module: 'a.b', function: 'a', filename: 'SourceFile', lineno: 1, in_app: true }];
    const event = { platform: 'java', exception: [{ type: 'c', module: 'a', value: 'x', stacktrace: { frames } }] };
    const early = await reportEvent(server, game, buildId, event);
    await until(async () => (await readReport(early)).group_id !== null);
    const text = 'com.example.Owl -> a.b:\n    1:1:void fly():31 -> a\ncom.example.Lost -> a.c:\n';
    const storage = await requireFreeStorage(server.ctx, game.uid);
    const source = bytesOfBuffer(Buffer.from(text));
    const upload = { kind: 'proguard', fileName: 'mapping.txt', buildId, source, storage } as const;
    const mappings = [await storeMapping(server.ctx, game.uid, upload)];
    await recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings });
    const shown = async (id: string) =>
      until(async () => (await readReport(id)).stack[0]?.function === 'com.example.Owl.fly' && readReport(id));
    const late = await reportEvent(server, game, buildId, event);
    const [first, second] = [await shown(early), await shown(late)];
    assert.equal(first.group_id, second.group_id);
    assert.equal(second.event.exceptions[0].type, 'Lost');
    assert.equal(first.stack[0].line, 31);
    const other = await reportEvent(server, game, await makeBuild(), event);
    await untilDone(server, other);
    assert.equal((await readReport(other)).event.exceptions[0].type, 'c');
  });
});

describe('a report of renamed Java without any SDK', () => {
  const MESSAGE = `java.lang.RuntimeException: level 3
	at a.d.a(SourceFile:9)
Caused by: a.c: lost
	at a.b.a(SourceFile:1)
	... 1 more`;
  const MAPPING = `com.example.Owl -> a.b:
    1:1:void com.example.Wing.flap():40 -> a
    1:1:void fly():31 -> a
com.example.Lost -> a.c:
com.example.Game -> a.d:
    9:9:void load():12 -> a
`;
  const send = async (buildId: string, more: object = {}): Promise<string> =>
    (await report({ server, game, buildId }, { os: 'android', message: MESSAGE, ...more })).body.data.id;
  const addMapping = async (address: Address, text = MAPPING) => {
    const storage = await requireFreeStorage(server.ctx, game.uid);
    const source = bytesOfBuffer(Buffer.from(text));
    const upload = { kind: 'proguard', fileName: 'mapping.txt', ...address, source, storage } as const;
    const mappings = [await storeMapping(server.ctx, game.uid, upload)];
    await recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings });
  };
  const grouped = (id: string) =>
    until(async () => {
      const found = await readReport(id);
      return found.group_id !== null && found;
    });
  const retraced = (id: string) =>
    until(async () => {
      const found = await readReport(id);
      return found.stack[0]?.function === 'com.example.Wing.flap' && found;
    });
  const framesOf = ({ stack }: { stack: Frame[] }) =>
    stack.map(({ function: name, file, line }) => `${name} ${file}:${line}`);

  test('is read with the mapping of its build, also if that comes later', async () => {
    const [buildId, otherBuild] = [await makeBuild(), await makeBuild()];
    const [early, other] = [await send(buildId), await send(otherBuild)];
    const before = await grouped(early);
    assert.equal(before.stack[0].function, 'a.b.a');
    await addMapping({ buildId });
    const [first, second] = [await retraced(early), await retraced(await send(buildId))];
    assert.notEqual(first.group_id, before.group_id);
    assert.equal(first.group_id, second.group_id);
    assert.deepEqual(framesOf(first), [
      'com.example.Wing.flap Wing.java:40',
      'com.example.Owl.fly Owl.java:31',
      'com.example.Game.load Game.java:12',
    ]);
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${early}/stack`, { headers });
    const { reason, related } = body.data;
    assert.equal(reason, 'com.example.Lost');
    assert.equal(related[0].frames[0].function, 'com.example.Game.load');
    // The report of a build without a mapping is where it was, and so is a new one.
    const unmapped = [await grouped(other), await grouped(await send(otherBuild))];
    assert.deepEqual(
      unmapped.map(({ group_id, stack }) => [group_id, stack[0].function]),
      unmapped.map(() => [before.group_id, 'a.b.a']),
    );
    const search = await request(`${server.api}/games/${game.uid}/crashes?frame=Wing.flap`, { headers });
    assert.ok(search.body.data.crashes.some(({ crash_id: id }: { crash_id: string }) => id === early));
  });

  test('may have its exception in the message, and its stack in the metadata', async () => {
    const buildId = await makeBuild();
    await addMapping({ buildId });
    const [message, stack] = ['a.c: lost', '\tat a.b.a(SourceFile:1)\n\tat java.lang.Thread.run(Thread.java:9)'];
    const id = await send(buildId, { message, metadata: { stack } });
    assert.equal(framesOf(await retraced(id)).at(-1), 'java.lang.Thread.run Thread.java:9');
    assert.match(String((await reportRow(server, id)).signature), /^Lost: lost \| com\.example\.Wing\.flap$/);
  });

  test('may name its mapping by an id', async () => {
    const buildId = await makeBuild();
    await addMapping({ buildId }, 'com.example.Wrong -> a.b:\n');
    const debugId = '7b1c4a52-93e0-4c19-a5c7-2d1f0e6b8a33';
    const id = await send(buildId, { debug_ids: { 'mapping.txt': debugId, 'https://a.example/a.js': MAPPING_ID } });
    const { missing_symbols: missing } = await grouped(id);
    assert.deepEqual(
      missing.map(({ module, debug_id }: Missing) => `${module} ${debug_id}`),
      ['mapping.txt 7B1C4A5293E04C19A5C72D1F0E6B8A330'],
    );
    await addMapping({ debugId });
    assert.deepEqual((await retraced(id)).missing_symbols, []);
  });
});

describe('a dump of a game that IL2CPP translated', () => {
  const showLines = async (version: string, addressOf: (buildId: string, symbols: string) => Address) => {
    const buildId = await register(server, game, { version });
    const id = await reportCrash(server, game, buildId, { dump: readDumpFixture('null_deref_inline') });
    // The symbols name the file as IL2CPP would.
    const symbols = readSymbolFixture('null_deref_inline')
      .toString()
      .replaceAll(/null_deref_inline\.(?:cc|cpp|c)$/gm, 'Assembly-CSharp.cpp');
    await addSymbols(server, game, buildId, Buffer.from(symbols));
    const stackOf = async () =>
      (await request(`${server.api}/games/${game.uid}/crashes/${id}/stack`, { headers })).body.data?.crashed.frames;
    const generated = await until(async () => {
      const frames: Frame[] = (await stackOf()) ?? [];
      return frames.find(({ file }) => file?.endsWith('Assembly-CSharp.cpp'));
    });
    const lines = { [`${generated.line! - 2}`]: 14, [`${generated.line! + 1}`]: 15 };
    const text = JSON.stringify({ '/build/il2cppOutput/Assembly-CSharp.cpp': { '/game/Assets/Player.cs': lines } });
    const storage = await requireFreeStorage(server.ctx, game.uid);
    const source = bytesOfBuffer(Buffer.from(text));
    const upload = { kind: 'il2cpp', fileName: 'LineNumberMappings.json', source, storage } as const;
    const address = addressOf(buildId, symbols);
    const mappings = [await storeMapping(server.ctx, game.uid, { ...upload, ...address })];
    await recordMappings(server.ctx, game.uid, { keyRef: 'key', mappings });
    await until(async () => {
      const frames: Frame[] = await stackOf();
      return frames.some(({ file, line }) => file === '/game/Assets/Player.cs' && line === 14);
    });
    assert.ok((await readReport(id)).stack.some(({ file }: Frame) => file === '/game/Assets/Player.cs'));
    const thread = `${server.api}/games/${game.uid}/crashes/${id}/threads/0`;
    const { body } = await request(thread, { headers });
    assert.ok(body.data.frames.some(({ file }: Frame) => file === '/game/Assets/Player.cs'));
  };

  test('shows the lines of C# once the line mappings of its build are uploaded', () =>
    showLines('1.9.9', (buildId) => ({ buildId })));

  test('shows them with line mappings of its program that belong to no build', () =>
    showLines('1.9.8', (_, symbols) => ({ debugId: symbols.split(' ')[3]! })));
});

describe('an exception of C# in a game that IL2CPP translated', () => {
  const IMAGE = '6E8A2A1B-7C3D-4E5F-8091-A2B3C4D5E6F7';
  const SYMBOLS = `MODULE windows x86_64 ${IMAGE.replaceAll('-', '')}1 GameAssembly.pdb
INLINE_ORIGIN 0 NullCheck(void*)
FILE 0 C:\\il2cppOutput\\cpp\\Assembly-CSharp.cpp
FILE 1 C:\\il2cpp\\il2cpp-codegen.h
FUNC 1000 100 0 Player_Hit_mA3F1D2
INLINE 0 1207 0 0 1040 10
1000 40 1203 0
1040 10 77 1
1050 b0 1210 0
FUNC 1100 40 0 Game_Update_mB4C2
1100 40 2403 0
`;
  const BASE = 0x7fffffffffffffffn;
  const at = (offset: number) => `0x${(BASE + BigInt(offset)).toString(16)}`;
  const event = {
    platform: 'csharp',
    exception: [
      {
        type: 'NullReferenceException',
        value: 'Object reference not set',
        stacktrace: {
          instruction_addr_adjustment: 'all',
          frames: [
            {
              function: 'Update',
              module: 'Game',
              package: 'Assembly-CSharp',
              in_app: true,
              instruction_addr: at(0x1111),
            },
            {
              function: 'Hit',
              module: 'Player',
              package: 'Assembly-CSharp',
              in_app: true,
              instruction_addr: at(0x1048),
            },
          ],
        },
      },
    ],
    debug_meta: {
      images: [
        { type: 'pe', code_file: 'GameAssembly.dll', debug_id: `${IMAGE}-1`, image_addr: `0x${BASE.toString(16)}` },
      ],
    },
  };

  test('shows the files and lines of C#, once symbols and line mappings are there', async () => {
    const buildId = await register(server, game, { version: '2.0.0' });
    const id = await reportEvent(server, game, buildId, event);
    const first = await until(async () => {
      const found = await readReport(id);
      return found.group_id !== null && found;
    });
    assert.deepEqual(
      first.missing_symbols.map(({ module, why }: Missing) => `${module} ${why}`),
      ['GameAssembly.dll never_uploaded'],
    );
    await addSymbols(server, game, buildId, Buffer.from(SYMBOLS));
    const placesOf = async () => {
      const { event: shown } = await readReport(id);
      return shown.exceptions[0].frames.map(({ function: name, file, line }: Frame) => `${name} ${file}:${line}`);
    };
    await until(async () => (await placesOf())[0].endsWith('Assembly-CSharp.cpp:1207'));
    const lines = { '1205': 14, '1300': 15 };
    const text = JSON.stringify({
      '/b/Assembly-CSharp.cpp': { '/game/Assets/Player.cs': lines, '/game/Assets/Game.cs': { '2400': 88 } },
    });
    const storage = await requireFreeStorage(server.ctx, game.uid);
    const source = bytesOfBuffer(Buffer.from(text));
    const upload = {
      kind: 'il2cpp',
      fileName: 'LineNumberMappings.json',
      debugId: `${IMAGE}-1`,
      source,
      storage,
    } as const;
    await recordMappings(server.ctx, game.uid, {
      keyRef: 'key',
      mappings: [await storeMapping(server.ctx, game.uid, upload)],
    });
    await until(async () => (await placesOf())[0].includes('.cs:'));
    assert.deepEqual(await placesOf(), ['Player.Hit game/Assets/Player.cs:14', 'Game.Update game/Assets/Game.cs:88']);
    const after = await readReport(id);
    assert.equal(after.group_id, first.group_id);
    assert.deepEqual(after.missing_symbols, []);
  });
});

type Frame = { function: string | null; file: string | null; line: number | null };
type Sourced = { source?: { at: number; lines: string[] } | null };
type Missing = { module: string; debug_id: string; why: string };
