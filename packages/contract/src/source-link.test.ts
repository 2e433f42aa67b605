import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSourceLink } from './source-link.ts';

const url_template = 'https://git.example.com/walk/blob/{commit}/{path}#L{line}';
const links = { url_template, path_prefixes: ['/builds/walk', 'C:\\ci\\walk\\', '/builds/walk/engine'] };

describe('makeSourceLink', () => {
  for (const [file, path] of [
    ['/builds/walk/src/car.cc', 'src/car.cc'],
    ['c:\\CI\\walk\\Source\\A b.cpp', 'Source/A%20b.cpp'],
    ['/builds/walk/engine/x.cc', 'x.cc'],
    ['src/./car#2.cc', 'src/car%232.cc'],
    ['/usr/include/vector', null],
    ['D:\\other\\a.cpp', null],
    ['/builds/walker/a.cc', null],
    ['/builds/walk/build/../src/./car.cc', 'src/car.cc'],
    ['/builds/walk/../secret', null],
    ['/builds/walk/src/../../../etc/passwd', null],
    ['/../../etc/passwd', null],
    ['../a.cc', null],
    ['', null],
  ] as const)
    it(`${path === null ? 'has no link for' : 'finds'} ${file}`, () => {
      const expected = path === null ? null : `https://git.example.com/walk/blob/abc1234/${path}#L7`;
      assert.equal(makeSourceLink(links, { file, line: 7 }, 'abc1234'), expected);
    });

  it('needs a commit only if the template has one', () => {
    const file = { file: 'a.cc', line: null };
    assert.equal(makeSourceLink(links, file, null), null);
    const template = 'https://git.example.com/{path}?line={line}';
    assert.equal(
      makeSourceLink({ ...links, url_template: template }, file, null),
      'https://git.example.com/a.cc?line=1',
    );
  });
});

it('makeSourceLink makes none from a template whose host is not fixed', () => {
  for (const template of ['https://{path}/', 'https://user@git.example.com/{path}', 'javascript:{path}'])
    assert.equal(makeSourceLink({ ...links, url_template: template }, { file: 'a.cc', line: 1 }, null), null, template);
});
