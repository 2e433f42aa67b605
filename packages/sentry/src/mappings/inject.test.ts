import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { injectDebugId } from './inject.ts';
import { mappingFactsOf } from './mapping-facts.ts';
import { SourceMap } from './source-map.ts';

const SCRIPT = 'var done=1;function f(){throw 1}\n//# sourceMappingURL=game.js.map\n';
const MAP = JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' });

describe('injectDebugId', () => {
  it('gives both files one id, which the script notes with its stack', () => {
    const { script, map, debugId } = injectDebugId(SCRIPT, MAP);
    const ids = [mappingFactsOf('script', Buffer.from(script)), mappingFactsOf('source_map', Buffer.from(map))];
    assert.deepEqual(
      ids.map((facts) => facts.debugId),
      Array.from(ids, () => `${debugId.replaceAll('-', '').toUpperCase()}0`),
    );
    const context: { _sentryDebugIds?: Record<string, string>; done?: number } = {};
    runInNewContext(script, context, { filename: 'https://a.example/game.js' });
    const [[stack, id] = []] = Object.entries(context._sentryDebugIds ?? {});
    assert.equal(id, debugId);
    assert.match(stack ?? '', /https:\/\/a\.example\/game\.js:1:/);
    assert.equal(context.done, 1);
    assert.match(script, /\n\/\/# debugId=[0-9a-f-]{36}\n\/\/# sourceMappingURL=game\.js\.map\n$/);
  });

  it('keeps the lines of the map right', () => {
    const read = (text: string) => new SourceMap(text);
    assert.equal(read(injectDebugId(SCRIPT, MAP).map).placeAt(2, 1)?.line, 1);
    const twoLines = JSON.stringify({ ...JSON.parse(MAP), mappings: ['AAAA', 'AA-A'.replace('-', 'C')].join(';') });
    const withHashbang = read(injectDebugId(`#!/usr/bin/env node\n${SCRIPT}`, twoLines).map);
    assert.deepEqual(
      [withHashbang.placeAt(1, 1)?.line, withHashbang.placeAt(2, 1), withHashbang.placeAt(3, 1)?.line],
      [1, null, 2],
    );
    const sections = { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: JSON.parse(MAP) }] };
    assert.equal(read(injectDebugId(SCRIPT, JSON.stringify(sections)).map).placeAt(2, 1)?.line, 1);
  });

  it('gives the same build the same id, changes nothing twice, and keeps an id', () => {
    const once = injectDebugId(SCRIPT, MAP);
    assert.equal(injectDebugId(SCRIPT, MAP).debugId, once.debugId);
    assert.notEqual(injectDebugId(`1;${SCRIPT}`, MAP).debugId, once.debugId);
    assert.deepEqual(injectDebugId(once.script, once.map), { ...once, isChanged: false });
    const id = '85314830-023f-4cf1-a267-535f4e37bb17';
    assert.equal(injectDebugId(SCRIPT, JSON.stringify({ ...JSON.parse(MAP), debugId: id })).debugId, id);
    assert.equal(injectDebugId(`${SCRIPT}//# debugId=${id}\n`, MAP).debugId, id);
  });

  it('keeps a script strict, and refuses what is not a map', () => {
    const { script } = injectDebugId('"use strict";undeclared=1', MAP);
    assert.throws(() => runInNewContext(script, {}), /undeclared/);
    for (const map of ['', '[]', '{}', 'null']) assert.throws(() => injectDebugId(SCRIPT, map));
  });
});
