import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile } from '../../test/scene.ts';
import { MinidumpError } from '../error.ts';
import type { Module } from '../streams/modules.ts';
import { LoadedSymbols } from './loaded-symbols.ts';
import type { ModuleSymbols } from './module-symbols.ts';

const MODULE = { base: 0n, codeFile: 'game', debugFile: 'game', debugId: 'A0', codeId: '' } as Module;
const SYMBOLS = compile('MODULE Linux x86_64 A0 game\nFUNC 1000 100 0 main\n');

describe('LoadedSymbols', () => {
  it('requests each module from its source once', () => {
    let requests = 0;
    const loaded = new LoadedSymbols({
      find: () => {
        requests += 1;
        return SYMBOLS;
      },
    });
    assert.equal(loaded.outcome(MODULE), undefined);
    for (let look = 0; look < 3; look += 1) assert.equal(loaded.of(MODULE)?.placeAt(0x1000)?.function, 'main');
    assert.equal(requests, 1);
    assert.equal(loaded.outcome(MODULE)?.state, 'loaded');
  });

  it('distinguishes missing from unreadable symbols', () => {
    const missing = new LoadedSymbols(undefined);
    assert.equal(missing.of(MODULE), undefined);
    assert.deepEqual(missing.outcome(MODULE), { state: 'missing' });
    const corrupt = new LoadedSymbols({
      find: () => {
        throw new MinidumpError('bad-symbols', 'line 3 is not a record');
      },
    });
    assert.equal(corrupt.of(MODULE), undefined);
    assert.deepEqual(corrupt.outcome(MODULE), { state: 'corrupt', problem: 'line 3 is not a record' });
  });

  it('stops using symbols that turn out to be damaged', () => {
    const damaged: ModuleSymbols = {
      ...SYMBOLS,
      placeAt: () => SYMBOLS.placeAt(0x1000),
      cfiAt: () => {
        throw new MinidumpError('bad-cache', 'the checksum of page 3 is wrong');
      },
    };
    const loaded = new LoadedSymbols({ find: () => damaged });
    const symbols = loaded.of(MODULE)!;
    assert.equal(symbols.placeAt(0x1000)?.function, 'main');
    assert.equal(symbols.cfiAt(0x1000), undefined);
    assert.equal(symbols.placeAt(0x1000), undefined);
    assert.deepEqual(loaded.outcome(MODULE), { state: 'corrupt', problem: 'the checksum of page 3 is wrong' });
    assert.equal(loaded.of(MODULE), undefined);
  });

  it('does not hide programming errors of its source', () => {
    const loaded = new LoadedSymbols({
      find: () => {
        throw new TypeError('not a function');
      },
    });
    assert.throws(() => loaded.of(MODULE), TypeError);
  });
});
