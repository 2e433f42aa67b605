// cspell:disable
// Tests the functions that Metro adds to source maps, with which stacks of Hermes are named.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MappedScript } from './script-frames.ts';

/** Two functions of `player.js`: `<global>` from its start, and `Player#hit` from line 2, column 2 to line 4. */
const FUNCTIONS = [{ names: ['<global>', 'Player#hit', '<anonymous>'], mappings: 'AAA;ECC;ADE,CEA' }];
const MAP = {
  version: 3,
  sources: ['/game/player.js'],
  sourcesContent: ['class Player {\n  hit() {\n    fail();\n  }}\nrun();\n'],
  names: [],
  // Column 10 is line 3, column 4; column 20 is line 5; column 30 is line 4, column 2.
  mappings: 'UAEI,UAEJ,UADE',
  x_facebook_sources: [FUNCTIONS],
};
const nameAt = (map: object, column: number, script: string | null = null) =>
  new MappedScript(JSON.stringify(map), script).resolve({ function: 'sent', line: 1, column }, null)?.function;

describe('the functions of sources in a source map', () => {
  it('name the frames of bytecode', () => {
    assert.equal(nameAt(MAP, 12), 'Player.hit');
    assert.equal(nameAt(MAP, 21), '');
    assert.equal(nameAt(MAP, 12, '\0bytecode\u{fffd}'), 'Player.hit');
  });

  it('are found in sections, too', () => {
    const other = {
      ...MAP,
      x_facebook_sources: undefined,
      mappings: 'AAAA',
      sources: ['/game/other.js', '/game/b.js'],
    };
    const sections = [
      { offset: { line: 0, column: 0 }, map: other },
      { offset: { line: 0, column: 100 }, map: MAP },
    ];
    assert.equal(nameAt({ version: 3, sections }, 112), 'Player.hit');
    assert.equal(nameAt({ version: 3, sections }, 1), 'sent');
  });

  it('are left out if they are malformed', () => {
    const all = [
      ...[null, 'x', 7, {}, [], [null], [[]], [[null]], [[{ names: 7, mappings: 7 }]]],
      ...[
        [[{ names: [null], mappings: 'AAA' }]],
        [[{ names: ['a'], mappings: '!,;,!' }]],
        [[{ names: ['a'], mappings: 'A/' }]],
      ],
    ];
    for (const sent of all)
      assert.equal(typeof nameAt({ ...MAP, x_facebook_sources: sent }, 12), 'string', JSON.stringify(sent));
    for (const sent of [null, [[null]], [[{ names: [], mappings: 'AAA' }]]])
      assert.equal(nameAt({ ...MAP, x_facebook_sources: sent }, 12), 'sent');
  });
});
