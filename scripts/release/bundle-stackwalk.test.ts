// Tests that the bundled stackwalker does the same as its sources, and that it only runs while it is up to date.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { stackwalk, type Walk } from '@chauffeur/minidump/stackwalk';
import { CORPUS_MISSING, readCases, readHostile } from '../../packages/minidump/test/corpus.ts';
import { writeScene } from '../../packages/minidump/test/scene.ts';
import { bundlePackage } from './bundle-package.ts';

const PACKAGE = join(import.meta.dirname, '../../packages/minidump');
const DEBUG_ID = '67452301AB89EFCD0123456789ABCDEF0';
const SYMBOLS = `MODULE Linux x86_64 ${DEBUG_ID} game
FUNC 1000 100 0 draw(Scene&)
STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .undef
`;

describe('the bundled minidump-stackwalk', () => {
  let root: string;
  let folder: string;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'bundle-stackwalk-'));
    folder = join(root, 'packages/minidump');
    for (const part of ['bin', 'src', 'package.json'])
      cpSync(join(PACKAGE, part), join(folder, part), { recursive: true, preserveTimestamps: true });
    await bundlePackage(folder);
  });

  after(() => rmSync(root, { recursive: true, force: true }));

  function run(program: string, ...args: string[]) {
    const env = { ...process.env, XDG_CACHE_HOME: join(root, 'cache') };
    const command = [join(folder, program), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8', env });
    return { status, stdout, stderr };
  }

  const runCommand = (...args: string[]) => run('bin/minidump-stackwalk.cjs', ...args);
  const runSources = (...args: string[]) => run('src/main.ts', ...args);

  describe('prints and exits like the sources', () => {
    before(() => {
      const codeView = { kind: 'elf', buildId: '0123456789abcdef0123456789abcdef' } as const;
      const modules = [{ base: 0x400000n, size: 0x10000, name: '/opt/game', codeView }];
      const registers = { rip: 0x401010n, rsp: 0x7fff0000n };
      writeFileSync(
        join(root, 'crash.dmp'),
        writeScene({ registers, stack: { at: 0x7fff0000n, words: [0, 0] }, more: { modules } }),
      );
      mkdirSync(join(root, 'symbols/game', DEBUG_ID), { recursive: true });
      writeFileSync(join(root, 'symbols/game', DEBUG_ID, 'game.sym'), SYMBOLS);
    });

    for (const [input, args, status] of [
      ['--help', ['--help'], 0],
      ['--version', ['--version'], 0],
      ['a dump', ['crash.dmp'], 0],
      ['a dump and symbols', ['crash.dmp', '--symbols', 'symbols'], 0],
      ['a dump and --json', ['crash.dmp', '--symbols', 'symbols', '--json'], 0],
      ['a server that is unreachable', ['crash.dmp', '--symbols-url', 'http://127.0.0.1:1/'], 0],
      ['a server that cannot be used', ['crash.dmp', '--symbols-url', 'ftp://symbols/'], 2],
      ['no dump', [], 2],
      ['an unknown option', ['crash.dmp', '--fast'], 2],
      ['a dump that is missing', ['none.dmp'], 1],
      ['a dump that is none', [join('symbols/game', DEBUG_ID, 'game.sym')], 1],
    ] as const)
      it(`given ${input}`, () => {
        const outcome = runCommand(...args);
        assert.equal(outcome.status, status);
        assert.deepEqual(outcome, runSources(...args));
      });
  });

  it('reports the same for each dump of the corpus', { skip: CORPUS_MISSING }, async () => {
    const bundled = createRequire(import.meta.url)(join(folder, 'dist/stackwalk.cjs')) as {
      stackwalk: typeof stackwalk;
    };
    const outcomeOf = (program: typeof stackwalk, walk: Walk) =>
      program(walk, assert.fail).catch((error: Error) => `${error.name}: ${error.message}`);
    const dump = join(root, 'case.dmp');
    for (const { name, symbols, ...file } of [...readCases(), ...readHostile().map(withoutSymbols)]) {
      writeFileSync(dump, file.dump);
      const walk = {
        dump,
        symbols: symbols === undefined ? [] : [symbols],
        servers: [],
        symbolsCache: '',
        json: false,
      };
      const [ours, theirs] = ['a', 'b'].map((cache) => ({ ...walk, cache: join(root, 'corpus', cache) }));
      assert.equal(await outcomeOf(bundled.stackwalk, ours!), await outcomeOf(stackwalk, theirs!), name);
      const asJson = { ...ours!, json: true };
      assert.equal(await outcomeOf(bundled.stackwalk, asJson), await outcomeOf(stackwalk, asJson), name);
    }
  });

  describe('when its sources', () => {
    // The bundle prints something else, which shows what runs.
    beforeEach(async () => {
      await bundlePackage(folder);
      const file = join(folder, 'dist/command.cjs');
      writeFileSync(file, readFileSync(file, 'utf8').replace('Usage: ', 'Bundled usage: '));
      assert.match(runCommand('--help').stdout, /^Bundled usage: /);
    });

    function checkSourcesRun(): void {
      const { status, stdout, stderr } = runCommand('--help');
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /^Usage: /);
    }

    it('have changed does not run', () => {
      const file = join(folder, 'src/command.ts');
      writeFileSync(file, readFileSync(file, 'utf8').replace('print this help', 'print these lines'));
      assert.match(runCommand('--help').stdout, /print these lines/);
    });

    it('were replaced by older ones does not run', () => {
      utimesSync(join(folder, 'src/reasons/linux.ts'), new Date(2020, 1), new Date(2020, 1));
      checkSourcesRun();
    });

    it('are gone does not run', () => {
      const file = join(folder, 'src/walk-with-servers.ts');
      const text = readFileSync(file);
      rmSync(file);
      checkSourcesRun();
      writeFileSync(file, text);
    });

    it('are not listed in it does not run', () => {
      rmSync(join(folder, 'dist/sources.json'));
      checkSourcesRun();
      writeFileSync(join(folder, 'dist/sources.json'), '[[');
      checkSourcesRun();
    });

    it('were never built does not run', () => {
      rmSync(join(folder, 'dist'), { recursive: true });
      checkSourcesRun();
    });
  });

  it('leaves nothing next to its folder', async () => {
    await bundlePackage(folder);
    assert.deepEqual(readdirSync(folder).sort(), ['bin', 'dist', 'package.json', 'src']);
  });
});

function withoutSymbols({ name, dump }: { name: string; dump: Uint8Array }) {
  return { name, dump, symbols: undefined };
}
