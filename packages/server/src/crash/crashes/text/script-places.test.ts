import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesInText, withSources } from './script-places.ts';

const STACK = `RangeError: lost
    at e.takeDamage (https://a.example/assets/game.js?v=3:1:120)
    at async https://a.example/assets/game.js:2:7
    at Array.forEach (<anonymous>)
    at file:///C:/game/main.mjs:3:4 {
update@http://localhost:8080/game.js:4:5
@app:///main.js:5:6`;

describe('framesInText', () => {
  it('finds the places of scripts in the forms of all browsers', () => {
    assert.deepEqual(
      framesInText(STACK).map((frame) => frame && `${frame.function} ${frame.place} ${frame.line} ${frame.column}`),
      [
        null,
        'e.takeDamage https://a.example/assets/game.js?v=3 1 120',
        ' https://a.example/assets/game.js 2 7',
        null,
        ' file:///C:/game/main.mjs 3 4',
        'update http://localhost:8080/game.js 4 5',
        ' app:///main.js 5 6',
      ],
    );
  });

  it('finds places with spaces, brackets and names of packages, and those of eval', () => {
    const placeOf = (line: string) =>
      framesInText(line).map((frame) => frame && `${frame.function} ${frame.place} ${frame.line}:${frame.column}`)[0];
    const path = 'C:\\Program Files (x86)\\My Game\\resources\\app.js';
    assert.equal(placeOf(`    at tick (${path}:1:2)`), `tick ${path} 1:2`);
    assert.equal(placeOf(`    at ${path}:1:2`), ` ${path} 1:2`);
    assert.equal(placeOf('at f (https://a.example/v(2)/a.js:1:2)'), 'f https://a.example/v(2)/a.js 1:2');
    assert.equal(placeOf('at https://a.example/v(2)/a.js:1:2'), ' https://a.example/v(2)/a.js 1:2');
    assert.equal(placeOf('f@https://a.example/@game/a.js:1:2'), 'f https://a.example/@game/a.js 1:2');
    const inEval = 'eval at load (https://a.example/a.js:3:4)';
    assert.equal(placeOf(`at run (${inEval}, <anonymous>:1:2)`), 'run https://a.example/a.js 3:4');
    assert.equal(placeOf(`at run (eval at go (${inEval}), <anonymous>:1:2)`), 'run https://a.example/a.js 3:4');
  });

  it('finds places in bundles of Hermes, whose columns begin at 0', () => {
    const [frame] = framesInText('    at tick (address at index.android.bundle:1:4821)');
    assert.deepEqual(frame, { function: 'tick', place: 'index.android.bundle', line: 1, column: 4822 });
  });

  it('ignores what only looks like a frame', () => {
    for (const line of ['at 12:30:45', 'see a.js:1:2', 'at Player.Update () in a.cs:1:2', 'a@b.example:1:2', 'at a.js'])
      assert.deepEqual(framesInText(line), [null], line);
  });

  it('takes a time linear in the length of a text', () => {
    const started = process.cpuUsage();
    for (const part of ['a', '@', 'at ', 'a@', ':1', ':1:1', '(', '.js', '.js?', ' at a.js', 'x('])
      for (const end of ['', ':1:1', '.js:1:1', ')', '.js:1:1)'])
        framesInText(`${`at ${part.repeat(Math.floor(1000 / part.length))}${end}\n`.repeat(500)}`);
    assert.ok(process.cpuUsage(started).user < 4_000_000);
  });
});

describe('withSources', () => {
  it('writes the places in the sources, and leaves other lines as they are', () => {
    const place = { function: 'takeDamage', file: 'src/player.ts', line: 8, column: 3, isLibrary: false };
    const library = { ...place, function: '', file: 'node_modules/phaser/a b.js', isLibrary: true };
    assert.equal(
      withSources(STACK, [null, place, library, null, { ...place, function: '$&' }, place, library]),
      `RangeError: lost
    at takeDamage (src/player.ts:8:3)
    at /node_modules/phaser/a_b.js:8:3
    at Array.forEach (<anonymous>)
    at $& (src/player.ts:8:3) {
takeDamage@src/player.ts:8:3
@/node_modules/phaser/a_b.js:8:3`,
    );
  });
});
