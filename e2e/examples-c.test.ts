// Tests the C client: compiled as C and C++ with all warnings as errors, and run with sanitizers against a real server.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { registerBuild, untilStored } from './setup/player.ts';
import { serveStudio } from './setup/served.ts';

const HEADER = join(import.meta.dirname, '..', 'examples', 'c');
const STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror', '-O1', '-g', `-I${HEADER}`];
const LINK = ['-lcurl', '-lpthread'];
const WATCHED = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const SHOTS = 200;

const run = promisify(execFile);
const NO_GCC = 'skipped: gcc not found';

/** Whether this compiler and libcurl's headers are installed. With CI=true, throws if they are not. */
async function findCompiler(name: string): Promise<boolean> {
  const exists = await run('sh', ['-c', `echo '#include <curl/curl.h>' | ${name} -E -x c - >/dev/null`]).then(
    () => true,
    () => false,
  );
  if (!exists && process.env.CI === 'true') throw new Error(`${name} or libcurl4-openssl-dev not found; install it`);
  return exists;
}

const countOf = (names: readonly string[], name: string) => names.filter((other) => other === name).length;

describe('the C client', () => {
  const served = serveStudio();
  let hasGcc: boolean;
  let hasGpp: boolean;
  let buildId: string;
  before(async () => {
    [hasGcc, hasGpp] = await Promise.all([findCompiler('gcc'), findCompiler('g++')]);
    buildId = await registerBuild(served, '1.0.0');
  });

  async function compile(name: string, compiler: string, source: string, flags: string[]): Promise<string> {
    const program = join(served.folder, name);
    await run(compiler, [...flags, ...STRICT, source, '-o', program, ...LINK]);
    return program;
  }

  const argumentsFor = (state: string) => [
    `${served.service.api}/public/events`,
    served.studio.gameUid,
    buildId,
    join(served.folder, state),
  ];

  /** Starts the player. Resolves once it has added all its events. */
  async function startPlayer(program: string, state: string): Promise<Player> {
    const player = new Player(spawn(program, argumentsFor(state), { stdio: ['pipe', 'pipe', 'pipe'] }));
    await player.until('device ');
    return player;
  }

  const compilePlayer = (name: string, flags: string[]) =>
    compile(name, 'gcc', join(import.meta.dirname, 'setup', 'c-player.c'), ['-std=c99', ...flags]);

  for (const [compiler, ...flags] of [
    ['gcc', '-std=c99'],
    ['gcc', '-std=gnu17'],
    ['g++', '-std=c++11', '-x', 'c++'],
    ['g++', '-std=c++20', '-x', 'c++'],
  ] as const) {
    const language = flags[0].replace('-std=', '');
    test(`compiles as ${language}, and its example sends the events of a game`, async (t) => {
      if (!(compiler === 'gcc' ? hasGcc : hasGpp)) return t.skip(`skipped: ${compiler} not found`);
      const example = await compile(`example-${language}`, compiler, join(HEADER, 'example.c'), [...flags, ...WATCHED]);
      const { stdout } = await run(example, argumentsFor(`state-${language}`));
      const [, device = '', left] = /^device (\w+)\nbytes left for the next start: (\d+)\n$/.exec(stdout) ?? [];
      assert.equal(left, '0');
      const events = await untilStored(served, device, (names) => names.includes('session_end'));
      const names = events.map(({ event }) => event).sort();
      assert.deepEqual(names, ['boot_ok', 'first_input', 'parked', 'quit', 'session_end', 'session_start']);
      assert.deepEqual(events.find(({ event }) => event === 'parked')?.properties, { level: 3, car: 'red' });
    });
  }

  for (const [name, flags] of [
    ['addresses and undefined behaviour', WATCHED],
    ['races', ['-fsanitize=thread']],
  ] as const) {
    test(`keeps the events of four threads while the server is down, and sends them later, checked for ${name}`, async (t) => {
      if (!hasGcc) return t.skip(NO_GCC);
      const program = await compilePlayer(`player-${flags.length}`, [...flags]);
      await served.service.stop();
      const player = await startPlayer(program, `state-${flags.length}`);
      await served.restart();
      const isDone = (names: readonly string[]) => countOf(names, 'shot') === SHOTS;
      const events = await untilStored(served, player.device, isDone);
      const names = events.map(({ event }) => event);
      assert.deepEqual(
        ['session_start', 'boot_ok', 'first_input'].map((event) => countOf(names, event)),
        [1, 1, 1],
      );
      assert.deepEqual(
        events.find(({ event }) => event === 'shot')?.properties.text,
        'a "quoted" line\n\\ of fünf bytes more',
      );
      const { code, output } = await player.end();
      assert.match(output, /problem .*\(reserved|problem .*4001/);
      assert.match(output, /left 0\n$/);
      assert.equal(code, 0, output);
      await untilStored(served, player.device, (names) => countOf(names, 'session_end') === 1);
    });
  }

  test('stores unsent events on disk, and sends them at the next start', async (t) => {
    if (!hasGcc) return t.skip(NO_GCC);
    const program = await compilePlayer('player', WATCHED);
    await served.service.stop();
    const player = await startPlayer(program, 'offline');
    const { code, output } = await player.end();
    assert.deepEqual([code, /left [1-9]\d+\n$/.test(output)], [0, true], output);
    const queued = await readFile(join(served.folder, 'offline.queue'), 'utf8');
    assert.equal(queued.trimEnd().split('\n').length, SHOTS + 5);
    await served.restart();
    const next = await startPlayer(program, 'offline');
    const { output: after } = await next.end();
    assert.match(after, /left 0\n$/);
    const isDone = (names: readonly string[]) => countOf(names, 'session_end') === 2;
    const events = await untilStored(served, player.device, isDone);
    const names = events.map(({ event }) => event);
    assert.deepEqual([countOf(names, 'shot'), countOf(names, 'boot_ok'), countOf(names, 'crash')], [2 * SHOTS, 2, 0]);
    assert.equal((await stat(join(served.folder, 'offline.queue'))).size, 0);
  });

  test('stops within its deadline even if the server hangs', async (t) => {
    if (!hasGcc) return t.skip(NO_GCC);
    const example = await compile('example', 'gcc', join(HEADER, 'example.c'), ['-std=c99', ...WATCHED]);
    const hanging = createServer().listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const { port } = hanging.address() as AddressInfo;
    const began = performance.now();
    const { stdout } = await run(example, [`http://127.0.0.1:${port}`, ...argumentsFor('hanging').slice(1)]);
    // The example allows two seconds, and libcurl can need another second to notice.
    assert.ok(performance.now() - began < 20_000, `${performance.now() - began} ms`);
    assert.match(stdout, /next start: [1-9]\d+\n$/);
    hanging.close();
  });

  test('reports at the next start that the game died, but not if another copy is running', async (t) => {
    if (!hasGcc) return t.skip(NO_GCC);
    const program = await compilePlayer('player', WATCHED);
    const player = await startPlayer(program, 'dying');
    const copy = await startPlayer(program, 'dying');
    await copy.end();
    const [first] = await untilStored(served, player.device, (names) => countOf(names, 'session_end') === 1);
    player.tell('die\n');
    await player.ended;
    const next = await startPlayer(program, 'dying');
    await next.end();
    const events = await untilStored(served, player.device, (names) => countOf(names, 'session_end') === 2);
    const crashes = events.filter(({ event }) => event === 'crash');
    assert.equal(crashes.length, 1);
    const sessions = new Set(events.map(({ session_id }) => session_id));
    assert.deepEqual(
      [sessions.size, sessions.has(crashes[0]?.session_id ?? null), first !== undefined],
      [3, true, true],
    );
  });
});

class Player {
  output = '';
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'close').then(([code]) => code as number | null);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  get device(): string {
    return /^device (\w+)$/m.exec(this.output)?.[1] ?? '';
  }

  tell(line: string): void {
    this.#child.stdin?.write(line);
  }

  async until(text: string): Promise<void> {
    while (!this.output.includes(text))
      await Promise.race([once(this.#child.stdout as NodeJS.EventEmitter, 'data'), this.ended]);
  }

  /** Closes its input, which ends the game. */
  async end(): Promise<{ code: number | null; output: string }> {
    this.#child.stdin?.end();
    return { code: await this.ended, output: this.output };
  }
}
