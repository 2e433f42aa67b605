import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SAMPLE_SYMBOLS, sampleProgram } from '../test/sample-program.ts';
import { runCommand } from './command.ts';

describe('chauffeur-dump-syms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dump-syms-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const game = join(folder, 'game');
  writeFileSync(game, sampleProgram());

  async function run(...args: string[]) {
    let stdout = '';
    const result = await runCommand(args, async (text) => {
      stdout += text;
    });
    return { ...result, stdout };
  }

  it('writes symbols to standard output, or to a file', async () => {
    assert.deepEqual(await run(game), { exitCode: 0, stderr: '', stdout: SAMPLE_SYMBOLS });
    const output = join(folder, 'game.sym');
    assert.deepEqual(await run(game, '-o', output), { exitCode: 0, stderr: '', stdout: '' });
    assert.equal(readFileSync(output, 'utf8'), SAMPLE_SYMBOLS);
  });

  it('says what is wrong', async () => {
    const missing = join(folder, 'missing');
    assert.match((await run()).stderr, /^Usage: /);
    assert.match((await run(game, game, game)).stderr, /^Usage: /);
    assert.equal((await run(missing)).stderr, `chauffeur-dump-syms: ${missing} does not exist\n`);
    assert.equal((await run(game, '-o', join(missing, 'x'))).exitCode, 1);
    writeFileSync(join(folder, 'a.txt'), 'a text that has no symbols');
    const { exitCode, stderr, stdout } = await run(join(folder, 'a.txt'));
    assert.deepEqual({ exitCode, stdout }, { exitCode: 1, stdout: '' });
    assert.match(stderr, /a\.txt is not an ELF, Mach-O, PE, PDB or WebAssembly file \(unknown-format\)/);
    assert.match((await run('--wrong')).stderr, /--wrong/);
    assert.match((await run('--help')).stdout, /^Usage: /);
  });
});
