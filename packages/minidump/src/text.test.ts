import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { walkScene } from '../test/scene.ts';
import { formatReport } from './text.ts';

const SP = 0x7fff0000n;
const SYMBOLS = `FILE 0 /build/src/draw.cc
INLINE_ORIGIN 0 blend
FUNC 1000 100 0 draw
INLINE 0 30 0 0 1010 10
1000 100 12 0
FUNC 1100 100 0 main
STACK CFI INIT 1000 200 .cfa: $rsp 16 + .ra: .cfa -8 + ^`;

describe('formatReport', () => {
  it('numbers inlined functions as separate frames, and prints the known registers of the other frames', () => {
    const text = formatReport(
      walkScene({
        registers: { rip: 0x401014n, rsp: SP },
        stack: { at: SP, words: [0, 0x401110n, 0, 0] },
        modules: [{ name: 'game', base: 0x400000n, symbols: SYMBOLS }],
      }),
    );
    assert.match(text, /^ 0 {2}game!blend \[draw\.cc : 12\]\n {4}Found by: inlining$/m);
    assert.match(text, /^ 1 {2}game!draw \[draw\.cc : 30 \+ 0x14\]$/m);
    assert.match(text, /^ 2 {2}game!main \+ 0xf\n {4}rbx = 0x0{16} rbp = 0x0{16} rsp = 0x000000007fff0010$/m);
    assert.match(text, / rip = 0x0000000000401110\n {4}Found by: call frame info$/m);
  });

  it('says why a walk ended early', () => {
    const scene = { registers: { rip: 0x401014n, rsp: SP }, stack: { at: SP, words: [0, 0x401110n] } };
    const modules = [{ name: 'game', base: 0x400000n, symbols: SYMBOLS }];
    assert.match(
      formatReport(walkScene({ ...scene, modules, limits: { frames: 1 } })),
      /the walk stopped at the frames limit$/m,
    );
    const more = { system: { processorArchitecture: 1 } };
    assert.match(
      formatReport(walkScene({ ...scene, modules, more })),
      /<no frames>[\s\S]*Warnings:\n {2}the CPU is not supported/,
    );
  });

  it('prints an address outside all modules with the unloaded modules that contained it', () => {
    const unloadedModules = [{ base: 0x600000n, size: 0x1000, name: 'plugin.dll' }];
    const text = formatReport(walkScene({ registers: { rip: 0x600010n, rsp: SP }, more: { unloadedModules } }));
    assert.match(text, /^ 0 {2}0x600010 \(unloaded plugin\.dll@0x10\)$/m);
    assert.match(text, /^Unloaded modules:\n0x0000000000600000 - 0x0000000000601000 {2}plugin\.dll$/m);
  });

  it('removes control characters of the dump, which could control the terminal', () => {
    const name = 'evil\u001b[2J\u202egame\u0007';
    const text = formatReport(walkScene({ registers: { rip: 1n, rsp: SP }, modules: [{ name, base: 0x400000n }] }));
    for (const character of ['\u001b', '\u0007', '\u202e']) assert.ok(!text.includes(character));
    assert.match(text, /evil\ufffd\[2J\ufffdgame\ufffd/);
  });

  it('prints "No crash" for a dump that was requested without a crash', () => {
    const text = formatReport(walkScene({ registers: { rip: 1n, rsp: SP }, more: { exception: undefined } as never }));
    assert.match(text, /^No crash$/m);
  });
});
