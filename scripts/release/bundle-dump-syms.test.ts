// Tests that the bundled symbol converter does the same as its sources. bundle-stackwalk.test.ts tests when a bundle runs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { largeProgram, SAMPLE_SYMBOLS, sampleProgram } from '../../packages/debug-symbols/test/sample-program.ts';
import { bundlePackage } from './bundle-package.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the bundled chauffeur-dump-syms', () => {
  let root: string;
  let folder: string;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'bundle-dump-syms-'));
    folder = join(root, 'packages/debug-symbols');
    for (const part of ['bin', 'src', 'package.json'])
      cpSync(join(ROOT, 'packages/debug-symbols', part), join(folder, part), {
        recursive: true,
        preserveTimestamps: true,
      });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
    await bundlePackage(folder);
    writeFileSync(join(root, 'game'), sampleProgram());
    writeFileSync(join(root, 'a.txt'), 'a text that has no symbols');
  });

  after(() => rmSync(root, { recursive: true, force: true }));

  function run(program: string, ...args: string[]) {
    const command = [join(folder, program), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  it('reads its demangler', () => {
    assert.deepEqual(run('bin/chauffeur-dump-syms.cjs', 'game'), { status: 0, stdout: SAMPLE_SYMBOLS, stderr: '' });
  });

  for (const args of [['--help'], ['game'], ['game', 'a.txt'], ['missing'], ['a.txt'], [], ['--fast']])
    it(`prints and exits like the sources, given ${args.join(' ') || 'nothing'}`, () => {
      assert.deepEqual(run('bin/chauffeur-dump-syms.cjs', ...args), run('src/main.ts', ...args));
    });

  it('starts its threads', () => {
    // Notes the file of each thread that has done something.
    const log = join(root, 'threads.txt');
    const preload = join(root, 'preload.cjs');
    writeFileSync(
      preload,
      `const threads = require('node:worker_threads');
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    super(file, options);
    const path = file instanceof URL ? require('node:url').fileURLToPath(file) : file;
    this.on('message', ({ batch }) => batch && require('node:fs').appendFileSync(${JSON.stringify(log)}, path + '\\n'));
  }
};
require('node:module').syncBuiltinESMExports();
`,
    );
    writeFileSync(join(root, 'game'), largeProgram());
    for (const program of ['bin/chauffeur-dump-syms.cjs', 'src/main.ts']) {
      const args = ['--require', preload, join(folder, program), '--threads', '2', 'game'];
      const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      assert.equal(stdout, SAMPLE_SYMBOLS);
    }
    const files = new Set(readFileSync(log, 'utf8').trim().split('\n'));
    const expected = [join('dist', 'thread.cjs'), join('src', 'threads', 'parts.thread.ts')];
    assert.deepEqual(
      [...files],
      expected.map((file) => join(folder, file)),
    );
    writeFileSync(join(root, 'game'), sampleProgram());
  });

  it('runs from its bundle', () => {
    rmSync(join(folder, 'src/main.ts'));
    assert.equal(run('bin/chauffeur-dump-syms.cjs', '--help').status, 0);
  });
});
