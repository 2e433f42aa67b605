import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanPath, joinPath, lastPart } from './paths.ts';

describe('paths of source files', () => {
  it('are joined as the system of the compiler does', () => {
    assert.equal(joinPath('/src', 'a.cc'), '/src/a.cc');
    assert.equal(joinPath('/src/', 'a.cc'), '/src/a.cc');
    assert.equal(joinPath('C:\\src', 'a.cc'), 'C:\\src\\a.cc');
    assert.equal(joinPath('/src', '/lib/a.cc'), '/lib/a.cc');
    assert.equal(joinPath('/src', 'D:/lib/a.cc'), 'D:/lib/a.cc');
    assert.equal(joinPath('', 'a.cc'), 'a.cc');
  });

  it('lose their dots, but never climb out of the root', () => {
    assert.equal(cleanPath('/a/./b/../c.cc'), '/a/c.cc');
    assert.equal(cleanPath('/../a.cc'), '/a.cc');
    assert.equal(cleanPath('../../a.cc'), '../../a.cc');
    assert.equal(cleanPath('C:\\a\\..\\b.cc'), 'C:\\b.cc');
    assert.equal(cleanPath('/a//b.cc'), '/a/b.cc');
    assert.equal(cleanPath('/a/b..c/d.cc'), '/a/b..c/d.cc');
  });

  it('end with a name', () => {
    assert.equal(lastPart('C:\\build\\game.pdb'), 'game.pdb');
    assert.equal(lastPart('/build/game'), 'game');
    assert.equal(lastPart('game'), 'game');
  });
});
