import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, type Scene, walkScene } from '../../test/scene.ts';

const GAME = {
  name: 'game',
  base: 0x1_0000_0000n,
  symbols: `FUNC 1000 100 0 main
FUNC 1100 100 0 update
FUNC 1200 100 0 draw
STACK CFI INIT 1100 100 .cfa: sp 0 + .ra: x30
STACK CFI 1108 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
STACK CFI INIT 1200 100 .cfa: sp 0 + .ra: x30`,
};
const LIBRARY = { name: 'library', base: 0x2_0000_0000n };
const SP = 0x7fff_0000n;
const MAIN = 0x1_0000_1050n;
const UPDATE = 0x1_0000_1150n;
const DRAW = 0x1_0000_1210n;
const IN_LIBRARY = 0x2_0000_0010n;
/** A pointer signature, in the bits that no address uses. */
const SIGNED = 0x00a1_8000_0000_0000n;

function scene(fields: Partial<Scene> & Pick<Scene, 'registers'>): Scene {
  return { cpu: 'arm64', modules: [GAME, LIBRARY], ...fields };
}

describe('unwinding arm64', () => {
  it('follows STACK CFI rules, from a leaf that keeps its return address in x30', () => {
    const crash = scene({
      registers: { pc: DRAW, sp: SP, lr: UPDATE, fp: SP },
      stack: { at: SP, words: [SP + 0x40n, MAIN, 0, 0, 0, 0, 0, 0, 0, 0] },
    });
    assert.deepEqual(framesOf(crash).slice(0, 3), ['game!draw context', 'game!update cfi', 'game!main cfi']);
  });

  it('removes signatures from return addresses and frame pointers', () => {
    const crash = scene({
      os: 'macos',
      registers: { pc: DRAW, sp: SP, lr: UPDATE | SIGNED, fp: SP },
      stack: { at: SP, words: [(SP + 0x20n) | SIGNED, MAIN | SIGNED, 0, 0, 0, IN_LIBRARY | SIGNED, 0, 0] },
    });
    const frames = ['game!draw context', 'game!update cfi', 'game!main cfi', 'library+0xc frame_pointer'];
    assert.deepEqual(framesOf(crash), frames);
    assert.equal(walkScene(crash).threads[0]?.frames[2]?.registers.fp, '0x000000007fff0020');
  });

  it('keeps all address bits that the highest module needs', () => {
    const high = 0x8000_1234_0000n;
    const frames = framesOf(
      scene({
        modules: [GAME, { name: 'high', base: high }],
        registers: { pc: MAIN, sp: SP, fp: SP },
        stack: { at: SP, words: [0, SIGNED | (high + 0x20n), 0] },
      }),
    );
    assert.deepEqual(frames, ['game!main context', 'high+0x1c frame_pointer']);
  });

  it('follows the chain of frame records to its end', () => {
    const frames = framesOf(
      scene({
        registers: { pc: IN_LIBRARY, sp: SP, fp: SP + 0x10n, lr: IN_LIBRARY },
        stack: { at: SP, words: [0, 0, SP + 0x20n, MAIN, 0, IN_LIBRARY, 0, UPDATE, UPDATE] },
      }),
    );
    assert.deepEqual(frames, ['library+0x10 context', 'game!main frame_pointer', 'library+0xc frame_pointer']);
  });

  it("corrects a frame record's stack pointer by rules that contain the position of the record", () => {
    // The record of the library's function is at the bottom of its frame of 48 bytes. The frame of update starts above it.
    const frames = framesOf(
      scene({
        registers: { pc: IN_LIBRARY, sp: SP, fp: SP, lr: IN_LIBRARY },
        stack: { at: SP, words: [SP + 0x30n, UPDATE, 0, UPDATE, 0, 0, SP + 0x50n, MAIN, 0, 0, 0, 0] },
      }),
    );
    assert.deepEqual(frames, ['library+0x10 context', 'game!update frame_pointer', 'game!main cfi']);
  });

  for (const [pointer, pc] of [
    ['a null pointer', 0n],
    ['a wild pointer', 0x0000_4141_4141_4140n],
  ] as const) {
    it(`finds the caller through ${pointer} in the link register`, () => {
      const frames = framesOf(
        scene({
          registers: { pc, sp: SP, lr: UPDATE, fp: SP },
          stack: { at: SP, words: [SP + 0x20n, MAIN, 0, 0, 0, 0] },
        }),
      );
      assert.deepEqual(frames, [`0x${pc.toString(16)} context`, 'game!update leaf', 'game!main cfi']);
    });
  }

  it('uses the link register of a leaf if it points into another function, unless a frame record exists', () => {
    const main = (words: readonly bigint[]) =>
      framesOf(scene({ registers: { pc: MAIN, sp: SP, lr: UPDATE, fp: SP }, stack: { at: SP, words } }));
    assert.equal(main([SP + 0x10n, IN_LIBRARY, 0n, 0n])[1], 'game!update leaf');
    assert.equal(main([SP + 0x10n, UPDATE, 0n, 0n])[1], 'game!update frame_pointer');
  });

  it('does not use a link register that is left over from a call', () => {
    const frames = framesOf(
      scene({
        registers: { pc: MAIN, sp: SP, lr: MAIN - 8n, fp: SP },
        stack: { at: SP, words: [0, IN_LIBRARY, 0, 0] },
      }),
    );
    assert.deepEqual(frames, ['game!main context', 'library+0xc frame_pointer']);
  });

  it('continues with the frame that a signal interrupted', () => {
    const before = Array((128 + 176 + 8) / 8).fill(0);
    const registers = [...Array(29).fill(5), SP + 0x800n, UPDATE, SP + 0x800n, DRAW, 0x6000_0000, 0, 0x210_4650_8001n];
    const frames = framesOf(
      scene({
        registers: { pc: UPDATE, sp: SP, fp: SP },
        stack: { at: SP, words: [SP + 0x600n, IN_LIBRARY, 0, 0, ...before, ...registers] },
        memory: [{ at: SP + 0x800n, words: [0, MAIN, 0, 0, 0, 0] }],
      }),
    );
    assert.deepEqual(frames, [
      'game!update context',
      'library+0xc cfi',
      'game!draw signal',
      'game!update cfi',
      'game!main cfi',
    ]);
  });
});
