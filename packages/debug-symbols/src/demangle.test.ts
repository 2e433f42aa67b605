// cspell:ignore mycrate runyy tickv YAHH
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_TEXT } from './cursor.ts';
import { demangle, withoutPart } from './demangle.ts';

describe('demangle', () => {
  it('reads names of C++ of both kinds, of Rust, and of Swift', () => {
    assert.equal(demangle('_ZN3eng4demoEi'), 'eng::demo(int)');
    assert.equal(demangle('?demo@eng@@YAHH@Z'), 'eng::demo(int)');
    assert.equal(demangle('_ZN4core3ptr13drop_in_place17h1234567890abcdefE'), 'core::ptr::drop_in_place');
    assert.equal(demangle('_RNvCs1234_7mycrate3foo'), 'mycrate::foo');
    assert.equal(demangle('$s4main3runyyF'), 'run()');
  });

  it('leaves other names as they are', () => {
    for (const name of [
      'main',
      '',
      '_start',
      '_ZBroken',
      '?',
      '$s4main',
      '$initialize',
      '_$',
      `_Z${'1a'.repeat(20_000)}`,
    ])
      assert.equal(demangle(name), name);
  });
});

describe('a name whose parts refer to each other', () => {
  /** A class template whose arguments are twice the one before. */
  function doubled(levels: number): string {
    const part = (index: number) => (index === 0 ? 'S_' : `S${(index - 1).toString(36).toUpperCase()}_`);
    const nested = Array.from({ length: levels }, (_, level) => `${part(1)}I${part(level + 2)}${part(level + 2)}E`);
    return `_Z1f1A1BIS_S_E${nested.join('')}`;
  }

  it('is cut off if it becomes very long', () => {
    const readable = demangle(doubled(14));
    assert.match(readable, /^f\(A, B<A, A>, B<B<A, A>, B<A, A> >/);
    assert.equal(readable.length, MAX_TEXT);
  });

  it('stays as it is if it would fill the memory, and the next name is read', () => {
    for (const levels of [24, 32]) {
      assert.equal(demangle(doubled(levels)), doubled(levels));
      assert.equal(demangle('_ZN3eng4demoEi'), 'eng::demo(int)');
    }
  });
});

describe('withoutPart', () => {
  it('removes what compilers append to parts and variants of functions', () => {
    assert.equal(withoutPart('tick.cold'), 'tick');
    assert.equal(withoutPart('_Z4tickv.isra.0.cold'), '_Z4tickv');
    assert.equal(withoutPart('json_kv.lto_priv.0'), 'json_kv');
    assert.equal(withoutPart('runtime.text'), 'runtime.text');
  });
});
