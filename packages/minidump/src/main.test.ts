import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import packageFile from '../package.json' with { type: 'json' };
import { writeScene } from '../test/scene.ts';
import type { Report } from './report.ts';

const BUILD_ID = '0123456789abcdef0123456789abcdef';
/** The debug id: the build id as a GUID (its first three fields are little-endian), and an age of 0. */
const DEBUG_ID = '67452301AB89EFCD0123456789ABCDEF0';
const SYMBOLS = `MODULE Linux x86_64 ${DEBUG_ID} game
FILE 0 /build/src/draw.cc
FUNC 1000 100 0 draw(Scene&)
1000 100 12 0
STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .undef
`;

describe('minidump-stackwalk', () => {
  let folder: string;
  let dump: string;
  let cache: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'minidump-stackwalk-'));
    cache = join(folder, 'cache');
    dump = join(folder, 'crash.dmp');
    const modules = [
      { base: 0x400000n, size: 0x10000, name: '/opt/game', codeView: { kind: 'elf', buildId: BUILD_ID } as const },
    ];
    writeFileSync(
      dump,
      writeScene({
        registers: { rip: 0x401010n, rsp: 0x7fff0000n },
        stack: { at: 0x7fff0000n, words: [0, 0] },
        more: { modules },
      }),
    );
    mkdirSync(join(folder, 'symbols/game', DEBUG_ID), { recursive: true });
    writeFileSync(join(folder, 'symbols/game', DEBUG_ID, 'game.sym'), SYMBOLS);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(...args: string[]) {
    const command = [join(import.meta.dirname, 'main.ts'), ...args];
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'xdg') };
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', env });
    return { status, stdout, stderr };
  }

  it('rejects a symbol server URL that it cannot use', () => {
    for (const url of ['nonsense', 'ftp://x/', 'https://ann:pw@x/']) {
      const { status, stderr } = run(dump, '--symbols-url', url);
      assert.equal(status, 2);
      assert.match(stderr, /--symbols-url must be an http or https URL/);
      assert.ok(!stderr.includes('pw'));
    }
  });

  it('prints the report without symbols if the server is unreachable', () => {
    const downloads = join(folder, 'downloads');
    const { status, stdout, stderr } = run(dump, '--symbols-url', 'http://127.0.0.1:1/', '--symbols-cache', downloads);
    assert.equal(status, 0);
    assert.match(stdout, /No symbols, game/);
    assert.match(stderr, /^minidump-stackwalk: could not download game from 127\.0\.0\.1:1: /);
  });

  it('prints the stack as text, with symbols from a folder', () => {
    const { status, stdout } = run(dump, '--symbols', join(folder, 'symbols'), '--cache', cache);
    assert.equal(status, 0);
    assert.match(stdout, /^Crash reason: {2}SIGSEGV \/ SEGV_MAPERR$/m);
    assert.match(stdout, /^Signature: {5}draw$/m);
    assert.match(stdout, /^Thread 0 \(crashed\)/m);
    assert.match(stdout, /^ 0 {2}game!draw\(Scene&\) \[draw\.cc : 12 \+ 0x10\]$/m);
    assert.match(stdout, /Found by: given as instruction pointer in context/);
    assert.match(stdout, /^0x0000000000400000 - 0x0000000000410000 {2}game/m);
  });

  it('prints the whole report as JSON', () => {
    const { status, stdout } = run(dump, '--json', '--symbols', join(folder, 'symbols'), '--cache', cache);
    assert.equal(status, 0);
    const report = JSON.parse(stdout) as Report;
    assert.equal(report.threads[0]?.frames[0]?.file, '/build/src/draw.cc');
    assert.deepEqual(
      report.modules.map(({ symbols }) => symbols),
      ['loaded'],
    );
  });

  it('accepts several symbol folders and uses the first one that has the module', () => {
    const { stdout } = run(
      dump,
      '--symbols',
      join(folder, 'none'),
      '--symbols',
      join(folder, 'symbols'),
      '--cache',
      cache,
    );
    assert.match(stdout, /game!draw/);
  });

  it('shows which symbols are missing', () => {
    const { stdout } = run(dump, '--cache', cache);
    assert.match(stdout, new RegExp(`\\(main\\) {2}\\(WARNING: No symbols, game, ${DEBUG_ID}\\)`));
  });

  it("keeps compiled symbols in the user's cache folder by default", () => {
    run(dump, '--symbols', join(folder, 'symbols'));
    assert.ok(existsSync(join(folder, 'xdg/minidump-stackwalk/game', DEBUG_ID)));
  });

  for (const [input, args, message] of [
    ['no dump', [], 'Specify exactly one dump.'],
    ['two dumps', ['a.dmp', 'b.dmp'], 'Specify exactly one dump.'],
    ['an unknown option', ['a.dmp', '--fast'], "Unknown option '--fast'"],
    ['two output formats', ['a.dmp', '--json', '--text'], 'Use either --json or --text, not both.'],
  ] as const) {
    it(`prints its usage and exits with 2 when given ${input}`, () => {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.ok(stderr.startsWith(message), stderr);
      assert.match(stderr, /^Usage: minidump-stackwalk <dump>/m);
    });
  }

  for (const [problem, name, message] of [
    ['is missing', 'none.dmp', /none\.dmp does not exist/],
    ['is a folder', '.', /is a folder/],
    ['is not a minidump', 'symbols/../text', /does not begin with MDMP/],
  ] as const) {
    it(`prints the reason and exits with 1 when the dump ${problem}`, () => {
      writeFileSync(join(folder, 'text'), 'This is not a dump but a text of more than 32 bytes.');
      const { status, stdout, stderr } = run(join(folder, name));
      assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
      assert.match(stderr, /^minidump-stackwalk: /);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at /);
    });
  }

  it('prints its usage and its version', () => {
    assert.match(run('--help').stdout, /^Usage: minidump-stackwalk/);
    assert.equal(run('--version').stdout, `${packageFile.version}\n`);
  });
});
