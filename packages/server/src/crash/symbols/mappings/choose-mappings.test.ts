// Tests which files lead a script to its sources.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseMapping } from './choose-mappings.ts';
import type { FoundMapping } from './mappings.sql.ts';

let uploads = 0;
const mapOf = (more: Partial<FoundMapping>): FoundMapping => ({
  ...{ mapping_uid: `map ${++uploads}`, kind: 'source_map', build_id: null, debug_id: '', dist: '' },
  ...{ url: '~/game.js.map', map_url: '', blob_key: `blob ${uploads}`, size: 1, is_used_today: false },
  ...more,
});
const chosen = (found: readonly FoundMapping[], dist: string, place = 'app:///game.js') =>
  chooseMapping({ place, debugId: '' }, found, dist)?.map?.mapping_uid ?? null;

describe('a script', () => {
  it('has the map of its distribution, or else that of none', () => {
    const [first, second, none] = [mapOf({ dist: '41' }), mapOf({ dist: '42' }), mapOf({})];
    assert.equal(chosen([first, second, none], '42'), second.mapping_uid);
    assert.equal(chosen([first, second, none], '43'), none.mapping_uid);
    assert.equal(chosen([first, second, none], ''), none.mapping_uid);
  });

  it('has the map of another distribution only if all of them have the same', () => {
    const [first, second] = [mapOf({ dist: 'android' }), mapOf({ dist: 'ios' })];
    assert.equal(chosen([first, second], 'web'), null);
    assert.equal(chosen([first], 'web'), first.mapping_uid);
    assert.equal(chosen([first, mapOf({ dist: '7', blob_key: first.blob_key })], 'web'), first.mapping_uid);
    assert.equal(chosen([second, first], ''), second.mapping_uid);
  });

  it('is found in all forms of its address', () => {
    const map = mapOf({ url: '~/Build/game.framework.js.map' });
    const places = [
      'https://games.example.com/play/1/Build/game.framework.js?v=3',
      'https://games.example.com/Build/game.framework.js.br',
      'https://games.example.com/Build/game.framework.js.gz?v=3',
      'http://localhost/Build/game.framework.js.unityweb',
      'app:///Build/game.framework.js',
      'capacitor://localhost/Build/game.framework.js',
      'file:///C:/Program%20Files/Owls/Build/game.framework.js',
      'C:\\Program Files\\Owls\\Build\\game.framework.js',
      '/opt/owls/Build/game.framework.js',
      '~/Build/game.framework.js',
      'webpack:///./Build/game.framework.js',
    ];
    for (const place of places) assert.equal(chosen([map], '', place), map.mapping_uid, place);
    assert.equal(chosen([map], '', 'https://games.example.com/Build/other.js.br'), null);
  });
});
