// Conversions in several threads have the same result as in one.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { convertAsThreads, convertToText, resultOf, textOf } from '../../test/convert-as-threads.ts';
import { damage } from '../../test/damage.ts';
import { CORPUS_MISSING, listCorpus, readCorpus } from '../../test/native-corpus.ts';
import { SAMPLE_SYMBOLS, sampleProgram } from '../../test/sample-program.ts';
import { convertFileInThreads, startConversion } from '../convert-file.ts';
import { OpenFiles } from '../open-files.ts';
import { spreadSteps } from './run-steps.ts';
import type { Steps } from './work.ts';

const ALL = { threads: 3, sharedFrom: 0, batchBytes: 1 };

describe('threads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const game = join(folder, 'game');
  writeFileSync(game, sampleProgram());

  for (const name of listCorpus('').filter((each) => /^(?:elf|macho|pdb|pe|pub)-/.test(each)))
    it(`${name}: is the same in batches of any size`, () => {
      const path = unpack(name, folder);
      const expected = convertToText(path);
      for (const size of [1, 3, 1000]) {
        const text = convertAsThreads(path, {}, size);
        if (text !== undefined) assert.ok(text === expected, `with ${size} parts`);
      }
    });

  it('damaged files are the same in batches, or have the same error', { skip: CORPUS_MISSING }, () => {
    const options = { findsCounterparts: false };
    const cases = ['elf-x86_64-gcc-dwarf2', 'macho-arm64-dwarf5', 'pdb-x86_64-clang-O2', 'pub-pdb-x86-crash'];
    for (const name of cases) {
      const path = join(folder, 'damaged');
      const files = inputsOf(name).map((input) => readCorpus(`${name}/${input}`)!);
      for (const file of files)
        for (const damaged of damage(file, 40, 7)) {
          writeFileSync(path, damaged);
          const expected = resultOf(() => convertToText(path, options));
          const result = resultOf(() => convertAsThreads(path, options, 2));
          if (result !== undefined) assert.ok(result === expected, `${name}: ${result.slice(0, 200)}`);
        }
    }
  });

  it('convert a program', async () => {
    assert.equal(textOf(await convertFileInThreads(game, { threads: 1 })), SAMPLE_SYMBOLS);
    assert.equal(textOf(await convertFileInThreads(game, ALL)), SAMPLE_SYMBOLS);
  });

  for (const name of ['elf-x86_64-clang19-O2-hosted', 'elf-x86_64-clang-split-dwarf5-dwp', 'pdb-x86_64-clang-O2'])
    it(`${name}: is the same in several threads`, { skip: CORPUS_MISSING }, async () => {
      const path = unpack(name, folder);
      const progress: number[] = [];
      const onProgress = (done: number, total: number) => progress.push(done / total);
      const text = textOf(await convertFileInThreads(path, { ...ALL, onProgress }));
      assert.ok(text === convertToText(path));
      assert.equal(progress.at(-1), 1);
      assert.deepEqual(progress.toSorted(), progress);
    });

  it('that fail leave their work to the first one', async () => {
    const files = new OpenFiles();
    const { steps, finish } = startConversion(game, {}, files);
    const shared = { kind: 'pdb', source: { bytes: new Uint8Array(3) }, sections: [], places: {} };
    const identity = await spreadSteps(sharing(steps, shared), ALL);
    assert.equal(textOf(finish(identity)), SAMPLE_SYMBOLS);
    files.close();
  });

  it('end before an error is thrown', async () => {
    const files = new OpenFiles();
    const { steps } = startConversion(game, {}, files);
    const failing = (function* (): Steps<unknown> {
      const { value } = steps.next();
      if (value === undefined || !('run' in value)) return;
      const fail = () => {
        throw new Error('the disk is full');
      };
      yield { ...value, run: fail, add: fail };
    })();
    await assert.rejects(spreadSteps(failing, ALL), /the disk is full/);
    files.close();
  });
});

/** The same steps, but threads get other parts. */
function* sharing<Result>(steps: Steps<Result>, parts: object): Steps<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield { ...step.value, share: () => parts };
  }
}

function inputsOf(name: string): string[] {
  const { inputs }: { inputs: { name: string }[] } = JSON.parse(caseOf(name));
  return inputs.map((input) => input.name);
}

function caseOf(name: string): string {
  return new TextDecoder().decode(readCorpus(`${name}/case.json`));
}

function unpack(name: string, folder: string): string {
  for (const input of inputsOf(name)) {
    const path = join(folder, name, input);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readCorpus(`${name}/${input}`)!);
  }
  return join(folder, name, JSON.parse(caseOf(name)).main);
}
