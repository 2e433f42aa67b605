import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, type Scene, walkScene } from '../../test/scene.ts';

const GAME = {
  name: 'game',
  base: 0x400000n,
  symbols: `FUNC 1000 100 0 main
FUNC 1100 100 0 update
FUNC 1200 100 0 draw
STACK CFI INIT 1100 100 .cfa: sp 8 + .ra: .cfa -4 + ^ r4: .cfa -8 + ^
STACK CFI INIT 1200 100 .cfa: sp 0 + .ra: lr`,
};
const LIBRARY = { name: 'library', base: 0x500000n };
const SP = 0x7fff0000n;

function scene(fields: Partial<Scene> & Pick<Scene, 'registers'>): Scene {
  return { cpu: 'arm', modules: [GAME, LIBRARY], ...fields };
}

describe('unwinding arm', () => {
  it('follows STACK CFI rules, from a leaf that keeps its return address in lr', () => {
    const crash = scene({
      registers: { pc: 0x401210n, sp: SP, lr: 0x401110n, r4: 1n },
      stack: { at: SP, words: [44, 0x401050n, 0, 0] },
    });
    assert.deepEqual(framesOf(crash), ['game!draw context', 'game!update cfi', 'game!main cfi']);
    assert.equal(walkScene(crash).threads[0]?.frames[2]?.registers.r4, '0x0000002c');
  });

  it('removes the Thumb bit from addresses', () => {
    const crash = scene({
      registers: { pc: 0x401211n, sp: SP, lr: 0x401201n },
      stack: { at: SP, words: [0, 0, 0, 0] },
    });
    const frames = walkScene(crash).threads[0]?.frames;
    assert.deepEqual(
      frames?.map(({ offset }) => offset),
      ['0x00401210', '0x004011fe'],
    );
    assert.equal(frames?.[1]?.function, 'update');
  });

  it('uses lr as the return address if it points into another module', () => {
    const frames = framesOf(
      scene({ registers: { pc: 0x500010n, sp: SP, lr: 0x401050n }, stack: { at: SP, words: [0, 0, 0, 0] } }),
    );
    assert.deepEqual(frames, ['library+0x10 context', 'game!main leaf']);
  });

  it('does not use a leftover lr that points into the function itself', () => {
    const frames = framesOf(
      scene({ registers: { pc: 0x401050n, sp: SP, lr: 0x401030n }, stack: { at: SP, words: [0, 0x401150n, 0, 0] } }),
    );
    assert.deepEqual(frames.slice(0, 2), ['game!main context', 'game!update scan']);
  });

  it('skips its own return address on the stack if a supposed leaf had saved it', () => {
    const frames = framesOf(
      scene({
        registers: { pc: 0x500010n, sp: SP, lr: 0x401050n },
        stack: { at: SP, words: [0, 0x401050n, 0, 0x401150n, 0, 0, 0, 0] },
      }),
    );
    assert.deepEqual(frames.slice(0, 3), ['library+0x10 context', 'game!main leaf', 'game!update scan']);
  });

  it('follows frame pointers only on iOS', () => {
    const crash = scene({
      registers: { pc: 0x500010n, sp: SP, lr: 0x500030n, r7: SP + 8n },
      stack: { at: SP, words: [0x401050n, 0, 0, 0x401150n, 0, 0] },
    });
    assert.deepEqual(framesOf({ ...crash, os: 'ios' }), ['library+0x10 context', 'game!update frame_pointer']);
    assert.deepEqual(framesOf(crash).slice(0, 2), ['library+0x10 context', 'game!main scan']);
  });

  for (const [kind, head] of [
    ['without SA_SIGINFO', [0x5ac3c35a, 0, 0, 0, 0]],
    ['with SA_SIGINFO', [11, 0, ...Array(30).fill(0), 0, 0, 0, 0, 0]],
  ] as const) {
    it(`continues with the frame that a signal interrupted, for a handler ${kind}`, () => {
      const registers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, SP + 0x200n, 0x401110n, 0x401210n];
      const frames = framesOf(
        scene({
          registers: { pc: 0x401110n, sp: SP },
          stack: { at: SP, words: [0, 0x500020n, ...head, 0, 0, 0, ...registers, 0x10] },
          memory: [{ at: SP + 0x200n, words: [0, 0x401050n, 0] }],
        }),
      );
      assert.deepEqual(frames.slice(0, 5), [
        'game!update context',
        'library+0x1e cfi',
        'game!draw signal',
        'game!update cfi',
        'game!main cfi',
      ]);
    });
  }
});
