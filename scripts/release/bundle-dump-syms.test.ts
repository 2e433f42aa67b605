// Tests that the bundled symbol converter does the same as its sources. bundle-stackwalk.test.ts tests when a bundle runs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SAMPLE_SYMBOLS, sampleProgram } from '../../packages/debug-symbols/test/sample-program.ts';
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

  it('runs from its bundle', () => {
    rmSync(join(folder, 'src/main.ts'));
    assert.equal(run('bin/chauffeur-dump-syms.cjs', '--help').status, 0);
  });
});
