import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { compileSymbolFileToMemory } from '@chauffeur/minidump/symbols/compile-file';
import type { ModuleId } from '@chauffeur/minidump/symbols/module-symbols';
import { StoredSymbols } from './stored-symbols.ts';

const ID = '0123456789ABCDEF0123456789ABCDEF0';

describe('StoredSymbols', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chauffeur-stored-'));
  after(() => rmSync(folder, { recursive: true }));

  const pathOf = (name: string) => join(folder, `${name}.cache`);
  const moduleOf = (name: string): ModuleId => ({ debugFile: name, debugId: ID, codeFile: name, codeId: '' });

  /** A module with one function of the same name. */
  function compile(name: string): ModuleId {
    const text = join(folder, `${name}.sym`);
    writeFileSync(text, `MODULE Linux x86_64 ${ID} ${name}\nFUNC 10 20 0 ${name}\n`);
    writeFileSync(pathOf(name), compileSymbolFileToMemory(text));
    return moduleOf(name);
  }

  /** The functions that a walk with these modules finds. */
  function walk(modules: readonly ModuleId[]): (string | undefined)[] {
    const symbols = new StoredSymbols(
      modules,
      modules.map(({ debugFile }) => ({ path: pathOf(debugFile), isPartial: false })),
    );
    try {
      // Opens all modules before reading the first.
      const symbolsOfModules = modules.map((module) => symbols.find(module));
      return symbolsOfModules.map((each) => each?.placeAt(0x18)?.function);
    } finally {
      symbols.close();
    }
  }

  it('keeps all modules of a dump open, and the most recently used until the next dump', () => {
    const names = Array.from({ length: 40 }, (_, no) => `module${no}`);
    const modules = names.map(compile);
    assert.deepEqual(walk(modules), names);
    for (const name of names) rmSync(pathOf(name));
    assert.deepEqual(walk(modules.slice(-16)), names.slice(-16));
    assert.throws(() => walk(modules.slice(0, 1)), { code: 'ENOENT' });
  });

  it('finds nothing for a module without symbols, and throws for unreadable ones', () => {
    const [missing, damaged] = [moduleOf('missing'), moduleOf('damaged')];
    const symbols = new StoredSymbols([missing, damaged], [null, { problem: 'line 3 is not a record' }]);
    assert.equal(symbols.find(missing), undefined);
    assert.throws(() => symbols.find(damaged), { code: 'bad-symbols', message: 'line 3 is not a record' });
  });
});
