import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, type Scene, walkScene } from '../../test/scene.ts';

const FRAME_PROGRAM = '$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =';
const SEARCH_PROGRAM = '$eip .raSearchStart ^ = $esp .raSearchStart 4 + = $ebx 305419896 =';
const ALIGNED_PROGRAM = '$T0 .raSearch = $eip $T0 ^ = $ebp $T0 4 - ^ = $esp $T0 4 + = $T1 $esp 16 @ =';

const GAME = {
  name: 'game.exe',
  base: 0x400000n,
  symbols: `FUNC 1000 100 0 main
FUNC 1100 100 8 update
FUNC 1200 100 0 draw
FUNC 1300 100 0 sort
FUNC 1400 100 0 wait
FUNC 1500 100 0 align
STACK WIN 4 1100 100 0 0 8 4 c 0 1 ${SEARCH_PROGRAM}
STACK WIN 4 1200 100 0 0 0 0 0 0 1 ${FRAME_PROGRAM}
STACK WIN 0 1300 100 0 0 0 8 4 0 0 1
STACK WIN 0 1400 100 0 0 0 0 8 0 0 0
STACK WIN 4 1500 100 0 0 0 0 0 0 1 ${ALIGNED_PROGRAM}`,
};
const LIBRARY = { name: 'library.dll', base: 0x500000n };
const SP = 0x12f000n;

function walk(scene: Partial<Scene> & Pick<Scene, 'registers'>): string[] {
  return framesOf({ cpu: 'x86', os: 'windows', modules: [GAME, LIBRARY], ...scene });
}

describe('unwinding x86', () => {
  it('runs the program of a frame data record', () => {
    const frames = walk({
      registers: { eip: 0x401210n, esp: SP, ebp: SP + 8n },
      stack: { at: SP, words: [0, 0, 0, 0x401050n, 0, 0] },
    });
    assert.deepEqual(frames, ['game.exe!draw context', 'game.exe!main cfi']);
  });

  it('computes the return address from the sizes of locals and saved registers, and uses what the program sets', () => {
    const scene: Scene = {
      cpu: 'x86',
      os: 'windows',
      modules: [GAME, LIBRARY],
      registers: { eip: 0x401110n, esp: SP, ebp: SP + 0x20n, ebx: 1n, esi: 2n },
      stack: { at: SP, words: [0x401050n, 0x401050n, 0, 0, 0x401050n, 0, 0, 0, 0, 0] },
    };
    assert.deepEqual(framesOf(scene).slice(0, 2), ['game.exe!update context', 'game.exe!main cfi']);
    const registers = walkScene(scene).threads[0]?.frames[1]?.registers;
    assert.deepEqual(registers, { eip: '0x00401050', esp: '0x0012f014', ebp: '0x0012f020', ebx: '0x12345678' });
  });

  it('skips the arguments of the callee', () => {
    // wait calls update with 8 bytes of arguments. The 8 bytes of wait's own locals are above them.
    const frames = walk({
      registers: { eip: 0x401110n, esp: SP, ebp: SP + 0x30n },
      stack: { at: SP, words: [0, 0, 0, 0, 0x401410n, 7, 7, 0, 0, 0x401050n, 0, 0, 0, 0] },
    });
    assert.deepEqual(frames.slice(0, 3), ['game.exe!update context', 'game.exe!wait cfi', 'game.exe!main cfi']);
  });

  it('finds the return address a few words further up if the stack was aligned', () => {
    const frames = walk({
      registers: { eip: 0x401410n, esp: SP, ebp: SP + 0x20n },
      stack: { at: SP, words: [0, 0, 0, 0, 0x401050n, 0, 0, 0, 0, 0] },
    });
    assert.deepEqual(frames.slice(0, 2), ['game.exe!wait context', 'game.exe!main cfi']);
  });

  it('starts from ebp if the program aligns the stack', () => {
    const frames = walk({
      registers: { eip: 0x401510n, esp: SP, ebp: SP + 0x10n },
      stack: { at: SP, words: [0x401250n, 0, 0, 0, SP + 0x20n, 0x401050n, 0, 0, 0, 0] },
    });
    assert.deepEqual(frames.slice(0, 2), ['game.exe!align context', 'game.exe!main cfi']);
  });

  it('replaces a result outside all modules if a scan finds a better one', () => {
    const frames = walk({
      registers: { eip: 0x401410n, esp: SP, ebp: SP + 0x40n },
      stack: { at: SP, words: [0, 0, 0x77777777, 1, 2, 3, 0x401050n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
    });
    assert.deepEqual(frames.slice(0, 2), ['game.exe!wait context', 'game.exe!main cfi_scan']);
  });

  it('treats a result of zeros as the end of the stack', () => {
    const frames = walk({
      registers: { eip: 0x401410n, esp: SP, ebp: 0n },
      stack: { at: SP, words: [0, 0, 0, 0, 0, 0, 0x401050n, 0] },
    });
    assert.deepEqual(frames, ['game.exe!wait context']);
  });

  it('recovers ebp from the saved registers of a function that uses ebp for something else', () => {
    const scene: Scene = {
      cpu: 'x86',
      os: 'windows',
      modules: [GAME, LIBRARY],
      registers: { eip: 0x401310n, esp: SP, ebp: 5n },
      stack: { at: SP, words: [SP + 0x18n, 9, 9, 0x401050n, 0, 0, 0, 0] },
    };
    assert.deepEqual(framesOf(scene).slice(0, 2), ['game.exe!sort context', 'game.exe!main cfi']);
    assert.equal(walkScene(scene).threads[0]?.frames[1]?.registers.ebp, '0x0012f018');
  });

  it('follows frame pointers if there are no records', () => {
    const frames = walk({
      registers: { eip: 0x500010n, esp: SP, ebp: SP + 8n },
      stack: { at: SP, words: [0x401250n, 0, SP + 0x10n, 0x401050n, 0, 0] },
    });
    assert.deepEqual(frames, ['library.dll+0x10 context', 'game.exe!main frame_pointer']);
  });

  it('scans if ebp is invalid, and finds the saved ebp below the return address', () => {
    const frames = walk({
      registers: { eip: 0x500010n, esp: SP, ebp: 5n },
      stack: { at: SP, words: [0, SP + 0x10n, 0x401050n, 0, SP + 0x20n, 0x401150n, 0, 0, 0] },
    });
    assert.deepEqual(frames.slice(0, 3), [
      'library.dll+0x10 context',
      'game.exe!main scan',
      'game.exe!update frame_pointer',
    ]);
  });

  it('finds the caller through a null pointer', () => {
    const frames = walk({
      registers: { eip: 0n, esp: SP, ebp: SP + 8n },
      stack: { at: SP, words: [0x401250n, 0, SP + 0x18n, 0x401050n, 0, 0, 0, 0] },
    });
    assert.deepEqual(frames.slice(0, 3), ['0x0 context', 'game.exe!draw leaf', 'game.exe!main cfi']);
  });

  for (const [kind, head] of [
    ['without SA_SIGINFO', [11]],
    ['with SA_SIGINFO', [11, 0, 0, ...Array(32 + 5).fill(0)]],
  ] as const) {
    it(`continues with the frame that a signal interrupted, for a handler ${kind}`, () => {
      const context = [0, 0, 0, 0, 1, 2, SP + 0x204n, SP + 0x200n, 3, 4, 5, 6, 0, 0, 0x401210n, 0x23];
      const frames = walk({
        os: 'linux',
        registers: { eip: 0x500010n, esp: SP, ebp: SP },
        stack: { at: SP, words: [0, 0x500020n, ...head, ...context] },
        memory: [{ at: SP + 0x200n, words: [0, 0, 0x401050n, 0] }],
      });
      assert.deepEqual(frames.slice(0, 4), [
        'library.dll+0x10 context',
        'library.dll+0x1f frame_pointer',
        'game.exe!draw signal',
        'game.exe!main cfi',
      ]);
    });
  }

  describe('in a Linux system call', () => {
    const KERNEL = { name: 'linux-gate.so', base: 0xf7f0_0000n, size: 0x2000 };
    const CODE = KERNEL.base + 0x5e8n;
    const LIBC = { name: 'libc.so.6', base: 0x600000n };
    /** The code after `int 0x80`, where the instruction pointer of a thread in a system call is: pop ebp, edx, ecx; ret. */
    const POP_ALL = 0xc3595a5d;
    const stub = (scene: Partial<Scene>) =>
      walk({
        os: 'linux',
        modules: [GAME, LIBRARY, LIBC, KERNEL],
        registers: { eip: CODE, esp: SP, ebp: SP, edx: 6n },
        ...scene,
      });

    it("restores the registers that the kernel's stub saved, and finds the C library as its caller", () => {
      // ebp, edx (the signal number), ecx and the return address, then the caller's frame.
      const stack = { at: SP, words: [SP + 0x18n, 6, 77, 0x600123n, 0, 0, 0, 0x401250n, 0, 0] };
      const expected = ['linux-gate.so+0x5e8 context', 'libc.so.6+0x122 leaf', 'game.exe!draw frame_pointer'];
      assert.deepEqual(stub({ stack }).slice(0, 3), expected);
      assert.deepEqual(stub({ stack, memory: [{ at: CODE, words: [POP_ALL] }] }).slice(0, 3), expected);
    });

    it('uses the variant of the stub in the code, regardless of other possible return addresses', () => {
      const stack = { at: SP, words: [0x600123n, 0, 0, 0x401250n, 0, 0] };
      const plain = stub({ stack, memory: [{ at: CODE, words: [0xc3] }], registers: { eip: CODE, esp: SP, ebp: 1n } });
      assert.equal(plain[1], 'libc.so.6+0x122 leaf');
      const stackOfOnePop = { at: SP, words: [SP + 0x20n, 0x600123n, 0, 0x401250n, 0, 0] };
      assert.equal(stub({ stack: stackOfOnePop, memory: [{ at: CODE, words: [0xc35d] }] })[1], 'libc.so.6+0x122 leaf');
    });

    it('continues after a signal that interrupted a system call', () => {
      const top = SP + 0x200n;
      const context = [0, 0, 0, 0, 1, 2, top, top, 3, 6, 5, 0, 0, 0, CODE, 0x23];
      const frames = stub({
        registers: { eip: 0x401210n, esp: SP, ebp: SP },
        stack: { at: SP, words: [0, KERNEL.base + 0x5c0n, 10, ...context] },
        memory: [{ at: top, words: [top + 0x18n, 6, 77, 0x600123n, 0, 0, 0, 0x401250n, 0, 0] }],
      });
      assert.deepEqual(frames.slice(0, 5), [
        'game.exe!draw context',
        'linux-gate.so+0x5bf cfi',
        'linux-gate.so+0x5e8 signal',
        'libc.so.6+0x122 leaf',
        'game.exe!draw frame_pointer',
      ]);
    });

    it('does not look for the stub in other modules or on other operating systems', () => {
      const stack = { at: SP, words: [0, 6, 77, 0x600123n, 0, 0] };
      assert.ok(!stub({ os: 'windows', stack }).includes('libc.so.6+0x122 leaf'));
      assert.ok(!stub({ stack, registers: { eip: 0x500010n, esp: SP, ebp: 1n } }).includes('libc.so.6+0x122 leaf'));
    });
  });
});
