import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTrace } from './find-trace.ts';

const framesOf = (...lines: string[]) =>
  findTrace(['RangeError: lost', ...lines].join('\n'), 'first')?.main.frames.map(
    ({ function: name, file, own }) => `${name} ${file} ${own ? 'own' : 'other'}`,
  );

describe('stacks of JavaScript', () => {
  it('go on after functions of the browser and of WebAssembly in Safari and Firefox', () => {
    assert.deepEqual(
      framesOf(
        'forEach@[native code]',
        '[native code]',
        '<?>.wasm-function[3]@[wasm code]',
        'tick@https://a.example/g.js:1:2',
      ),
      ['forEach null other', 'null null other', 'null null own', 'g.tick g.js own'],
    );
  });

  it('go on after what was typed into a console', () => {
    assert.deepEqual(framesOf('    at <anonymous>:1:5', '    at tick (webpack://game/./src/game.ts:3:4)'), [
      'null null other',
      'game.tick game/src/game.ts own',
    ]);
  });

  it('have names of accessors, and the outer place of eval', () => {
    const inner = 'eval at run (eval at load (https://a.example/level.js:3:4)), <anonymous>:1:2';
    assert.deepEqual(
      framesOf('    at Player.get health [as health] (app:///game.js:1:5)', `    at static start (${inner})`),
      ['game.health game.js own', 'level.start level.js own'],
    );
  });

  it('have places with spaces and brackets', () => {
    const path = 'C:\\Program Files (x86)\\Owls\\game.js';
    assert.deepEqual(framesOf(`    at update (${path}:1:2)`, `    at ${path}:9:1`)?.length, 2);
    assert.deepEqual(framesOf('    at https://a.example/v(2)/game.js:1:2'), ['null v(2)/game.js own']);
  });
});
