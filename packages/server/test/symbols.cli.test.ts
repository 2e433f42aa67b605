// `chauffeur symbols` with the real service: a folder, a file, a zip, and files that it skips.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '../src/kernel/secrets/ids.ts';
import type { TestGame, TestServer } from './setup/server.ts';
import { symbolsOf, symText, untilCompiled } from './setup/symbols.ts';
import { type SymbolsCommand, startSymbolsCommand } from './setup/symbols-command.ts';
import { register } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

let command: SymbolsCommand;
let server: TestServer;
let game: TestGame;
before(async () => {
  command = await startSymbolsCommand();
  ({ server, game } = command);
});
after(() => command.stop());

const put = (path: string, content: Uint8Array) => command.put(path, content);
const run = (buildId: string, ...args: string[]) => command.run(['--build-id', buildId, ...args]);

test('a folder is uploaded, and the next time only its new files', async () => {
  const buildId = await register(server, game);
  await put('symbols/a.so/1/a.so.sym', symText({ file: 'a.so' }));
  await put('symbols/b.so/1/b.so.sym', symText({ file: 'b.so' }));
  await put('symbols/readme.txt', Buffer.from('not sent'));
  const first = await run(buildId, 'symbols');
  assert.deepEqual([first.code, first.output.symbols.length, first.output.skipped], [0, 2, 0], first.stderr);
  await untilCompiled(server, game, buildId);
  await put('symbols/b.so/2/b.so.sym', symText({ file: 'b.so', debugId: 'C'.repeat(33) }));
  const second = await run(buildId, 'symbols');
  assert.deepEqual([second.code, second.output.symbols.length, second.output.skipped], [0, 1, 2]);
  assert.match(second.stderr, /Skipped 2 symbol files that the service already has/);
  const third = await run(buildId, 'symbols');
  assert.deepEqual([third.output.symbols, third.output.skipped], [[], 3]);
  assert.equal((await symbolsOf(server, game, buildId)).length, 3);
});

test('a single file, and those in a zip, are uploaded unchanged', async () => {
  const buildId = await register(server, game, { version: '2' });
  await put('one.sym', symText({ file: 'one.so' }));
  await put('more.zip', buildZip([{ name: 'x/two.sym', data: symText({ file: 'two.so' }), method: 8 }]));
  assert.equal((await run(buildId, 'one.sym')).code, 0);
  assert.equal((await run(buildId, 'more.zip')).code, 0);
  const states = (await untilCompiled(server, game, buildId)).map(({ debug_file, state }) => [debug_file, state]);
  assert.deepEqual(states, [
    ['one.so', 'compiled'],
    ['two.so', 'compiled'],
  ]);
});

test('a refusal by the service exits with 2, the code and the remedy', async () => {
  const unknown = await run(newId(), join(command.folder, 'one.sym'));
  assert.deepEqual([unknown.code, unknown.output.error.code], [2, 4039]);
  await put('bad.zip', buildZip([{ name: 'readme.txt', data: 'x' }]));
  const bad = await run(await register(server, game), 'bad.zip');
  assert.deepEqual([bad.code, bad.output.error.code], [1, 'usage']);
  assert.match(bad.output.error.message, /bad\.zip contains no \.sym files, programs, debug files or source maps\.$/);
});

test('a file that the service does not use, or that is of little use, is a warning', async () => {
  const buildId = await register(server, game, { version: '4' });
  const full = symText({ file: 'game.so' });
  await put('full/game.so.sym', full);
  const stripped = full
    .toString()
    .replace(/^FUNC.*$/m, 'PUBLIC 10 0 main')
    .replace(/^10 .*\n/m, '');
  await put('stripped/game.so.sym', Buffer.from(stripped));
  assert.equal((await run(buildId, 'full')).code, 0);
  const second = await run(buildId, 'stripped');
  assert.deepEqual([second.code, second.output.symbols, second.output.not_used.length], [0, [], 1]);
  assert.match(
    second.stderr,
    /warning: game\.so\.sym \(not used\): The build already has a richer file of this module/,
  );
  const other = await run(await register(server, game, { version: '5' }), 'stripped');
  assert.deepEqual([other.code, other.output.symbols.length, other.output.not_used], [0, 1, undefined]);
  assert.match(other.stderr, /warning: game\.so: It has no functions, only public names/);
});

test('a file of another kind is named as what it is, before anything is sent', async () => {
  const buildId = await register(server, game, { version: '6' });
  await put('foreign/game.sym', Buffer.from('\ufeffMODULE windows x86_64', 'utf16le'));
  await put('native/Game.pdb', Buffer.from('Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'));
  await put('apple/._game.sym', Buffer.from('\0\x05\x16\x07'));
  await put('apple/game.sym', symText({ file: 'apple' }));
  const foreign = await run(buildId, 'foreign');
  assert.deepEqual([foreign.code, foreign.output.error.code], [1, 'usage']);
  assert.match(foreign.output.error.message, /game\.sym is not a Breakpad symbol file: it is encoded in UTF-16\.$/);
  assert.match(foreign.output.error.remedy, /Save it as UTF-8/);
  assert.match(
    (await run(buildId, 'native/Game.pdb')).output.error.message,
    /^Game\.pdb is left out because it can't be read: /,
  );
  assert.match(
    (await run(buildId, 'native')).output.error.message,
    /^Game\.pdb is left out because it can't be read: /,
  );
  assert.equal((await run(buildId, 'apple')).output.symbols.length, 1);
});

// Runs last, because the other tests wait for their symbols to compile.
test('already uploaded symbols are recognized across many pages', async () => {
  const buildId = await register(server, game, { version: '3' });
  const files = Array.from({ length: 101 }, (_, no) => ({ name: `${no}.sym`, data: symText({ file: `m${no}.so` }) }));
  for (const { name, data } of files) await put(`many/${name}`, data);
  const first = await run(buildId, 'many');
  assert.deepEqual([first.code, first.output.symbols.length, first.output.skipped], [0, 101, 0], first.stderr);
  const again = await run(buildId, 'many');
  assert.deepEqual([again.output.symbols, again.output.skipped], [[], 101]);
});
