import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskText } from './printable.ts';

const CASES: readonly (readonly [string, string])[] = [
  ['Array index out of bounds: 5 from an array of size 3', 'Array index out of bounds: <n> from an array of size <n>'],
  ['access to 0x7FFE1234 denied', 'access to <addr> denied'],
  ['session 3f2504e0-4f89-11d3-9a0c-0305e82c3301 lost', 'session <id> lost'],
  ['cannot open /home/lea/game/level1.pak', 'cannot open level1.pak'],
  ['cannot open C:\\Users\\Lea\\save.dat.', 'cannot open save.dat.'],
  ['cannot open /home/<user>/game/level1.pak', 'cannot open level1.pak'],
  ['Assets/Scripts/Player.cs failed', 'Player.cs failed'],
  ['and/or', 'and/or'],
  ['no reply in 120ms', 'no reply in <n>ms'],
  ['no texture of 4096x2048 in 3GiB', 'no texture of <n>x<n> in <n>GiB'],
  ['not in range 0..2: 5, 0...7', 'not in range <n>..<n>: <n>, <n>...<n>'],
  ['entity 12v3 is gone', 'entity <n>v<n> is gone'],
  ['expired 2026-11-26T12:00:05Z', 'expired <n>-<n>-<n>T<n>:<n>:<n>Z'],
  ['a 2D node in a 3DScene', 'a 2D node in a 3DScene'],
  ['took 1.5 s at -3.', 'took <n> s at <n>.'],
  ['D3D11 and utf8 stay', 'D3D11 and utf8 stay'],
  ['two\nlines\u0000', 'two lines'],
  ['玩家不存在', '玩家不存在'],
];

describe('maskText', () => {
  for (const [text, masked] of CASES) {
    it(`masks ${JSON.stringify(text)} as ${JSON.stringify(masked)}`, () => assert.equal(maskText(text), masked));
  }

  it('is fast for any text', () => {
    const start = process.cpuUsage();
    for (const piece of ['/a', 'a/', '1', 'a', '-', '0x', '1.', '\\', '@', '.']) maskText(piece.repeat(100_000));
    assert.ok(process.cpuUsage(start).user < 500_000);
  });
});
