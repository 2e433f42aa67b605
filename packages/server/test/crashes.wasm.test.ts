// Stacks of WebAssembly in the events of pages: resolved with the symbols of the module, now and when these come later.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { changedWasm, customSection } from '../../debug-symbols/test/sample-wasm.ts';
import { makeDsn } from './setup/dsns.ts';
import { newEventId, sendEnvelope } from './setup/envelopes.ts';
import { reportEvent } from './setup/sentry-events.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, symbolsOf } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;
let headers: Record<string, string>;
before(async () => {
  server = await startServer();
  game = await makeGame(server);
  headers = await signIn(server, game.owner);
});
after(() => server.stop());

let builds = 0;
/**
 * A module with another build id each time, and the content of its section. The linker writes an id of 8, 16 or 20 bytes
 * after its length, and other tools write one of 16 bytes alone.
 */
function makeModule(length = 16, isAlone = false): { wasm: Uint8Array; buildId: string } {
  builds += 1;
  const id = Buffer.alloc(length, 0xa0 + builds);
  id.writeUInt32BE(0x11223344);
  const content = isAlone ? id : Buffer.concat([Buffer.of(length), id]);
  const wasm = changedWasm(() => true, customSection('build_id', content));
  return { wasm, buildId: content.toString('hex') };
}

const makeBuild = () => register(server, game, { version: `1.0.${++builds}`, os: 'web', arch: 'wasm32' });

const FILE = 'https://games.example.com/play/game.wasm?v=3';
const SCRIPT = 'https://games.example.com/play/game.js';
const scriptFrame = (name: string, line: number) => ({
  ...{ function: name, filename: SCRIPT, abs_path: SCRIPT, lineno: line, colno: 7, in_app: true },
});
const wasmFrame = (name: string, address: string, image = 1) => ({
  ...{ function: name, filename: FILE, platform: 'native', in_app: true },
  ...{ instruction_addr: address, addr_mode: `rel:${image}` },
});

/** The event has the form of the SDK for browsers: its debug id has the first bytes of the build id in their order. */
const eventOf = (buildId: string, frames: object[], image: object = {}) => ({
  platform: 'javascript',
  exception: [{ type: 'RuntimeError', value: 'unreachable', stacktrace: { frames } }],
  debug_meta: {
    images: [
      { type: 'sourcemap', code_file: SCRIPT, debug_id: '85314830-023f-4cf1-a267-535f4e37bb17' },
      {
        ...{ type: 'wasm', code_id: buildId, code_file: FILE, debug_file: null },
        ...{ debug_id: `${buildId.padEnd(32, '0').slice(0, 32)}0`, ...image },
      },
    ],
  },
});

const FRAMES = [scriptFrame('main', 3), wasmFrame('wasm-function[1]', '0x70'), wasmFrame('wasm-function[0]', '0x53')];

type Frame = { function: string | null; file: string | null; line: number | null };

async function readReport(id: string) {
  const { body } = await request(`${server.api}/games/${game.uid}/crashes/${id}`, { headers });
  return body.data;
}
const placesOf = ({ stack }: { stack: Frame[] }) =>
  stack.map(({ function: name, file, line }) => `${name} ${file}:${line}`);
const grouped = (id: string) =>
  until(async () => {
    const found = await readReport(id);
    return found.group_id !== null && found;
  });
const resolved = (id: string) =>
  until(async () => {
    const found = await readReport(id);
    return found.stack[0]?.function === 'twice(int)' && found;
  });

const RESOLVED = [
  'twice(int) src/game.cc:2',
  'Game::tick(int) src/game.cc:4',
  'run src/game.cc:10',
  'game.main play/game.js:3',
];

const compiled = (buildId: string) =>
  until(async () => (await symbolsOf(server, game, buildId)).every(({ state }) => state === 'compiled'));

describe('a stack of WebAssembly', () => {
  test('gets its functions, lines and inlined calls from the module as it was built', async () => {
    const buildId = await makeBuild();
    const { wasm, buildId: id } = makeModule();
    await addSymbols(server, game, buildId, wasm);
    await compiled(buildId);
    const found = await resolved(await reportEvent(server, game, buildId, eventOf(id, FRAMES)));
    assert.deepEqual(placesOf(found), RESOLVED);
    const { frames } = found.event.exceptions[0];
    assert.deepEqual(placesOf({ stack: frames }), RESOLVED);
    assert.deepEqual(
      found.missing_symbols.map(({ module }: { module: string }) => module),
      ['game.js'],
    );
  });

  test('names its module until the symbols are uploaded, and then moves to the group of its functions', async () => {
    const buildId = await makeBuild();
    const { wasm, buildId: id } = makeModule(20);
    const early = await reportEvent(server, game, buildId, eventOf(id, FRAMES));
    const unresolved = await grouped(early);
    assert.deepEqual(placesOf(unresolved), [
      'null play/game.wasm:null',
      'null play/game.wasm:null',
      'game.main play/game.js:3',
    ]);
    assert.ok(unresolved.missing_symbols.some(({ module }: { module: string }) => module === 'game.wasm'));
    await addSymbols(server, game, buildId, wasm);
    const found = await resolved(early);
    assert.notEqual(found.group_id, unresolved.group_id);
    const late = await resolved(await reportEvent(server, game, buildId, eventOf(id, FRAMES)));
    assert.equal(late.group_id, found.group_id);
  });

  test('is resolved by build ids of all forms, and by a debug id alone in either order of its bytes', async () => {
    const buildId = await makeBuild();
    const [short, long] = [makeModule(8), makeModule(16, true)];
    await addSymbols(server, game, buildId, short.wasm);
    await addSymbols(server, game, buildId, long.wasm);
    await compiled(buildId);
    await resolved(await reportEvent(server, game, buildId, eventOf(short.buildId, FRAMES)));
    const { debug_id: swapped } = (await symbolsOf(server, game, buildId)).find(
      ({ code_id: id }) => id === long.buildId,
    )!;
    assert.notEqual(swapped.slice(0, 8), long.buildId.slice(0, 8));
    for (const debugId of [`${long.buildId}0`, swapped])
      await resolved(
        await reportEvent(server, game, buildId, eventOf('', FRAMES, { code_id: undefined, debug_id: debugId })),
      );
  });

  test('is resolved when a page sends it with a DSN', async () => {
    const { wasm, buildId: id } = makeModule();
    await addSymbols(server, game, await makeBuild(), wasm);
    const version = `1.0.${builds}`;
    const { projectNo, key } = await makeDsn(server, game, 'web');
    const eventId = newEventId();
    const event = { ...eventOf(id, FRAMES), event_id: eventId, release: `owls@${version}` };
    const crash = { ...event.exception[0], mechanism: { type: 'onerror', handled: false } };
    const text = JSON.stringify({ ...event, exception: { values: [crash] } });
    // The SDK for browsers writes no length.
    const body = Buffer.from(`${JSON.stringify({ event_id: eventId })}\n{"type":"event"}\n${text}`);
    assert.equal((await sendEnvelope({ server, projectNo, key }, body)).status, 200);
    const found = await until(async () => {
      const { body: list } = await request(`${server.api}/games/${game.uid}/crashes?limit=100`, { headers });
      return list.data.crashes.find((each: { version: string }) => each.version === version);
    });
    assert.deepEqual(placesOf(await resolved(found.crash_id)), RESOLVED);
  });

  test('has frames of JavaScript inside it, and addresses of no module', async () => {
    const buildId = await makeBuild();
    const { wasm, buildId: id } = makeModule();
    await addSymbols(server, game, buildId, wasm);
    await compiled(buildId);
    const frames = [
      wasmFrame('run', '0x70'),
      wasmFrame('a', '0x70', 99999),
      wasmFrame('b', '0xffffffffffffffff'),
      wasmFrame('c', 'x'),
      scriptFrame('abort', 9),
    ];
    const found = await grouped(await reportEvent(server, game, buildId, eventOf(id, frames)));
    assert.deepEqual(placesOf(found).slice(0, 1), ['game.abort play/game.js:9']);
    assert.equal(placesOf(found).at(-1), 'run src/game.cc:10');
    assert.equal(found.stack.length, 5);
  });
});
