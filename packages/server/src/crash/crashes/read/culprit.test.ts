import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCulprit, type LocatedFrame } from './culprit.ts';

const frame = (name: string | null, file: string, line: number | null = 1): LocatedFrame => ({
  function: name,
  file,
  line,
});

describe('the culprit of a crash group', () => {
  it('is the place of the innermost function that the signature names, without its folders', () => {
    const frames = [frame('log(char const*)', 'log.cc'), frame('render::measure(Layout&)', 'src/render/layout.cc', 88)];
    assert.equal(findCulprit(frames, 'render::measure'), 'layout.cc:88');
    assert.equal(findCulprit([frame('main', 'C:\\game\\main.cpp', null)], 'main'), 'main.cpp');
  });

  it('is the first frame with a source file if the signature names none', () => {
    assert.equal(findCulprit([frame(null, 'audio.cc', 7), frame('main', 'main.cc')], 'hang | audio'), 'audio.cc:7');
    // measure is not measureText.
    assert.equal(findCulprit([frame('a', 'a.cc'), frame('measureText', 'b.cc')], 'measure'), 'a.cc:1');
  });

  it('is not known without source files', () => {
    assert.equal(findCulprit([], 'render::measure'), null);
  });
});
