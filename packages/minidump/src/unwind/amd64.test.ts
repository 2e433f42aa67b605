import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, type Scene } from '../../test/scene.ts';

/** Offsets 0x1000 to 0x13ff are functions; the rest of the module is data. */
const GAME = {
  name: 'game',
  base: 0x400000n,
  symbols: `FUNC 1000 100 0 main
FUNC 1100 100 0 update
FUNC 1200 100 0 draw
FUNC 1300 100 0 quit
STACK CFI INIT 1100 100 .cfa: $rsp 16 + .ra: .cfa -8 + ^
STACK CFI INIT 1200 100 .cfa: $rbp 16 + .ra: .cfa -8 + ^ $rbp: .cfa -16 + ^
STACK CFI INIT 1300 100 .cfa: $rsp 8 + .ra: .undef`,
};
/** A module without symbols. */
const LIBRARY = { name: 'library', base: 0x500000n };
const MODULES = [GAME, LIBRARY];
const SP = 0x7fff0000n;

function walk(scene: Partial<Scene> & Pick<Scene, 'registers'>): string[] {
  return framesOf({ modules: MODULES, ...scene });
}

describe('unwinding amd64', () => {
  it('follows STACK CFI rules', () => {
    const frames = walk({
      registers: { rip: 0x401110n, rsp: SP, rbp: SP + 0x20n },
      stack: { at: SP, words: [0, 0x401210n, 0, 0, SP + 0x40n, 0x401120n, 7, 0x401050n, 0, 0] },
    });
    assert.deepEqual(frames, ['game!update context', 'game!draw cfi', 'game!update cfi', 'game!main cfi']);
  });

  it('finds the function of a caller at the call, not at the instruction after it', () => {
    const frames = walk({ registers: { rip: 0x401110n, rsp: SP }, stack: { at: SP, words: [0, 0x401200n, 0] } });
    assert.deepEqual(frames.slice(0, 2), ['game!update context', 'game!update cfi']);
  });

  it('ends if the rules say that there is no caller, regardless of the stack', () => {
    const frames = walk({ registers: { rip: 0x401310n, rsp: SP }, stack: { at: SP, words: [0x401210n, 0x401050n] } });
    assert.deepEqual(frames, ['game!quit context']);
  });

  it('ends at a return address in the first page', () => {
    const frames = walk({ registers: { rip: 0x401110n, rsp: SP }, stack: { at: SP, words: [0, 0xfff, 0x401050n] } });
    assert.deepEqual(frames, ['game!update context']);
  });

  it('follows frame pointers if there are no rules', () => {
    const frames = walk({
      registers: { rip: 0x500010n, rsp: SP, rbp: SP + 0x10n },
      stack: {
        at: SP,
        words: [0x401050n, 0x401050n, SP + 0x28n, 0x500020n, 0, SP + 0x40n, 0x401050n, 0, SP + 0x48n, 0],
      },
    });
    assert.deepEqual(frames.slice(0, 3), [
      'library+0x10 context',
      'library+0x1f frame_pointer',
      'game!main frame_pointer',
    ]);
  });

  it('does not follow frame pointers on Windows', () => {
    const frames = walk({
      os: 'windows',
      registers: { rip: 0x500010n, rsp: SP, rbp: SP + 0x10n },
      stack: { at: SP, words: [0, 0x401050n, SP + 0x28n, 0x500020n, 0, SP + 0x40n] },
    });
    assert.deepEqual(frames.slice(0, 2), ['library+0x10 context', 'game!main scan']);
  });

  it('uses the top of the stack as the return address of a function without a frame on Windows', () => {
    const frames = walk({
      os: 'windows',
      registers: { rip: 0x500010n, rsp: SP, rbp: SP + 0x10n },
      stack: { at: SP, words: [0x401210n, 0, SP + 0x40n, 0x401050n] },
    });
    assert.deepEqual(frames, ['library+0x10 context', 'game!draw leaf', 'game!main cfi']);
  });

  for (const [pointer, rip] of [
    ['a null pointer', 0n],
    ['a wild pointer', 0x4141414141414141n],
  ] as const) {
    it(`finds the caller through ${pointer}, with all registers that its rules need`, () => {
      const frames = walk({
        registers: { rip, rsp: SP, rbp: SP + 0x10n },
        stack: { at: SP, words: [0x401210n, 0, SP + 0x40n, 0x401050n] },
      });
      assert.deepEqual(frames, [`0x${rip.toString(16)} context`, 'game!draw leaf', 'game!main cfi']);
    });
  }

  it('does not treat code outside all modules as an invalid pointer if the dump contains its bytes', () => {
    const frames = walk({
      registers: { rip: 0x900000n, rsp: SP, rbp: SP + 0x10n },
      stack: { at: SP, words: [0x401210n, 0, SP + 0x20n, 0x401050n, SP + 0x20n, 0] },
      memory: [{ at: 0x8fff80n, words: Array(32).fill(0) }],
    });
    assert.deepEqual(frames.slice(0, 2), ['0x900000 context', 'game!main frame_pointer']);
  });

  it('scans for an address inside a function, and skips other addresses in a module', () => {
    const frames = walk({
      registers: { rip: 0x500010n, rsp: SP, rbp: 1n },
      stack: { at: SP, words: [0x405000n, 0x123n, 0x401250n, 0x401050n] },
    });
    assert.deepEqual(frames, ['library+0x10 context', 'game!draw scan', 'game!main scan']);
  });

  it('does not treat the base of a module as a return address into the module below it', () => {
    const [kernel, loader] = [
      { name: 'linux-gate.so', base: 0x600000n, size: 0x2000 },
      { name: 'ld-linux-x86-64.so.2', base: 0x602000n },
    ];
    const scene: Scene = {
      modules: [...MODULES, kernel, loader],
      registers: { rip: 0x500010n, rsp: SP, rbp: 1n },
      // The auxiliary vector that Linux puts above _start: AT_BASE (7) is the base of the loader.
      stack: { at: SP, words: [7, loader.base, 0x401050n] },
    };
    assert.deepEqual(framesOf(scene), ['library+0x10 context', 'game!main scan']);
  });

  it('ends at _start, whose rules have no return address, and does not scan the data above it', () => {
    const start = `FUNC 2000 30 0 _start
STACK CFI INIT 2000 30 .cfa: $rsp 8 +`;
    const program = { name: 'program', base: 0x700000n, symbols: start };
    const frames = framesOf({
      modules: [program, ...MODULES],
      registers: { rip: 0x401110n, rsp: SP },
      stack: { at: SP, words: [0, 0x702010n, 1, 0x401050n, 0x401250n] },
    });
    assert.deepEqual(frames, ['game!update context', 'program!_start cfi']);
  });

  it('keeps the frame pointer through a scan, so that rules can use it', () => {
    const frames = walk({
      registers: { rip: 0x500010n, rsp: SP, rbp: SP + 0x10n },
      stack: { at: SP, words: [0, 0x401250n, 0, 0x401050n, 0, 0] },
    });
    assert.deepEqual(frames, ['library+0x10 context', 'game!draw scan', 'game!main cfi']);
  });

  it('scans 160 words after a reliable frame, and 40 after a guessed frame', () => {
    const words = (gap: number) => [...Array(gap).fill(0), 0x401050n];
    const from = (gap: number) =>
      walk({ registers: { rip: 0x500010n, rsp: SP }, stack: { at: SP, words: words(gap) } });
    assert.equal(from(159).length, 2);
    assert.equal(from(160).length, 1);
    const twice = (gap: number) =>
      walk({ registers: { rip: 0x500010n, rsp: SP }, stack: { at: SP, words: [0x500020n, ...words(gap)] } });
    assert.equal(twice(39).length, 3);
    assert.equal(twice(40).length, 2);
  });

  it('starts above the guard pages after a stack overflow', () => {
    const frames = walk({
      registers: { rip: 0x500010n, rsp: SP - 0x1000n },
      stack: { at: SP, words: [0, 0x401050n] },
    });
    assert.deepEqual(frames, ['library+0x10 context', 'game!main scan']);
  });

  it('continues with the frame that a signal interrupted, even on another stack', () => {
    const lower = SP - 0x100000n;
    const context = [
      ...Array(5).fill(0),
      ...Array(8).fill(8),
      1,
      2,
      lower + 0x10n,
      3,
      4,
      5,
      6,
      lower,
      0x401210n,
      0x246,
      0x33,
    ];
    const frames = walk({
      registers: { rip: 0x401110n, rsp: SP },
      stack: { at: SP, words: [0, 0x500020n, ...context, 0, 0] },
      memory: [{ at: lower, words: [0, 0, 0, 0x401050n] }],
    });
    assert.deepEqual(frames, ['game!update context', 'library+0x1f cfi', 'game!draw signal', 'game!main cfi']);
  });

  it('stops at the limits', () => {
    // Each frame has 16 bytes, so the frames continue to the end of the stack.
    const scene: Scene = {
      modules: MODULES,
      registers: { rip: 0x401110n, rsp: SP },
      stack: { at: SP, words: Array(2000).fill(0x401120n) },
    };
    assert.equal(framesOf(scene).length, 1001);
    assert.equal(framesOf({ ...scene, limits: { frames: 10 } }).length, 10);
    assert.ok(framesOf({ ...scene, limits: { steps: 1000 } }).length < 50);
  });
});
