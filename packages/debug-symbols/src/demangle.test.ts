// cspell:ignore mycrate runyy tickv YAHH
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

describe('withoutPart', () => {
  it('removes what compilers append to parts and variants of functions', () => {
    assert.equal(withoutPart('tick.cold'), 'tick');
    assert.equal(withoutPart('_Z4tickv.isra.0.cold'), '_Z4tickv');
    assert.equal(withoutPart('json_kv.lto_priv.0'), 'json_kv');
    assert.equal(withoutPart('runtime.text'), 'runtime.text');
  });
});
