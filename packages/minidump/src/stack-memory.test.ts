import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/schema';
import schema from '../report.schema.json' with { type: 'json' };
import { writeAmd64Context } from '../test/dump-writer/contexts.ts';
import { SCENE_THREAD, type Scene, walkScene } from '../test/scene.ts';
import type { StackMemory } from './report.ts';

const SP = 0x7fff0000n;
const GAME = {
  name: 'game',
  base: 0x400000n,
  symbols: 'FUNC 1000 100 0 update\nSTACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
};
const SCENE: Scene = {
  registers: { rip: 0x401010n, rsp: SP },
  stack: { at: SP - 256n, words: [...Array<bigint>(32).fill(1n), 0x401020n, 0xfffen, 0x5000n] },
  modules: [GAME, { name: 'other', base: 0x500000n }],
  limits: { stackMemory: 4096 },
};

function stackOf(scene: Scene): StackMemory | null | undefined {
  const report = walkScene(scene);
  const [, errors] = Compile(schema).Errors(JSON.parse(JSON.stringify(report)));
  assert.deepEqual([...errors], []);
  return report.threads[0]?.stack;
}

function wordsOf(stack: StackMemory | null | undefined): bigint[] {
  const digits = 2 * (stack?.word_size ?? 8);
  return (stack?.words.match(new RegExp(`.{${digits}}`, 'g')) ?? []).map((word) => BigInt(`0x${word}`));
}

describe('the stack memory of a thread', () => {
  it('is left out unless it is requested', () =>
    assert.equal(walkScene({ ...SCENE, limits: {} }).threads[0]?.stack, undefined));

  it('starts 128 bytes below the stack pointer, and names functions', () => {
    const stack = stackOf(SCENE);
    assert.equal(stack?.start, '0x000000007ffeff80');
    assert.deepEqual(wordsOf(stack), [...Array<bigint>(16).fill(1n), 0x401020n, 0xfffen, 0x5000n]);
    assert.deepEqual(stack?.symbols, [{ word: 16, function: 'update', function_offset: '0x0000000000000020' }]);
  });

  it('has words of four bytes on a 32-bit CPU', () => {
    const stack = stackOf({
      ...SCENE,
      cpu: 'x86',
      registers: { eip: 0x401010n, esp: SP },
      stack: { at: SP, words: [0x401020n, 7n] },
    });
    assert.deepEqual([stack?.word_size, stack?.start, wordsOf(stack)], [4, '0x7fff0000', [0x401020n, 7n]]);
  });

  it('starts at the lowest address in the dump after a stack overflow', () => {
    const stack = stackOf({ ...SCENE, stack: { at: SP + 0x1000n, words: [1n, 2n] } });
    assert.deepEqual([stack?.start, wordsOf(stack)], ['0x000000007fff1000', [1n, 2n]]);
  });

  it('is read with a stack pointer that is not aligned', () => {
    const stack = stackOf({ ...SCENE, registers: { rip: 0x401010n, rsp: SP + 3n } });
    assert.equal(stack?.start, '0x000000007ffeff80');
  });

  for (const rsp of [0n, 0xffff_ffff_ffff_fff8n, 0x1234n])
    it(`is null with the stack pointer 0x${rsp.toString(16)}`, () =>
      assert.equal(stackOf({ ...SCENE, registers: { rip: 0x401010n, rsp } }), null));

  it('does not load the symbols of modules that are on no stack', () => {
    const scene = { ...SCENE, stack: { at: SP, words: [0x401020n, 0n, 0x500010n] } };
    const report = walkScene(scene);
    assert.deepEqual(
      report.modules.map(({ symbols }) => symbols),
      ['loaded', 'not_needed'],
    );
  });

  it('is limited for each thread and for all threads, with the crashed thread first', () => {
    const other = (id: number) => ({
      id,
      context: writeAmd64Context({ rip: 0x401010n, rsp: SP + BigInt(id) * 0x1000n }),
      stack: { start: SP + BigInt(id) * 0x1000n, bytes: new Uint8Array(512) },
    });
    const crashed = {
      id: SCENE_THREAD,
      context: writeAmd64Context({ rip: 0x401010n, rsp: SP }),
      stack: { start: SP, bytes: new Uint8Array(512) },
    };
    const report = walkScene({
      ...SCENE,
      limits: { stackMemory: 64, allStackMemory: 104 },
      more: { threads: [other(1), other(2), crashed] },
    });
    assert.deepEqual(
      report.threads.map(({ stack }) => wordsOf(stack).length),
      [5, 0, 8],
    );
  });

  it('leaves out names past the limits of the walk', () => {
    const limits = { stackMemory: 4096, output: 2600 };
    const full = stackOf({ ...SCENE, limits });
    assert.equal(full?.symbols.length, 1);
    assert.deepEqual(stackOf({ ...SCENE, limits: { ...limits, output: 1 } })?.symbols, []);
  });
});
