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

  /** A module with one function, called like it. */
  function compile(name: string): ModuleId {
    const text = join(folder, `${name}.sym`);
    writeFileSync(text, `MODULE Linux x86_64 ${ID} ${name}\nFUNC 10 20 0 ${name}\n`);
    writeFileSync(pathOf(name), compileSymbolFileToMemory(text));
    return moduleOf(name);
  }

  /** What a walk that asks for these modules finds. */
  function walk(modules: readonly ModuleId[]): (string | undefined)[] {
    const symbols = new StoredSymbols(
      modules,
      modules.map(({ debugFile }) => ({ path: pathOf(debugFile) })),
    );
    try {
      // All are open before the first is read.
      const found = modules.map((module) => symbols.find(module));
      return found.map((each) => each?.placeAt(0x18)?.function);
    } finally {
      symbols.close();
    }
  }

  it('has every module of one dump open, however many, and the latest until the next dump', () => {
    const names = Array.from({ length: 40 }, (_, no) => `module${no}`);
    const modules = names.map(compile);
    assert.deepEqual(walk(modules), names);
    for (const name of names) rmSync(pathOf(name));
    assert.deepEqual(walk(modules.slice(-16)), names.slice(-16));
    assert.throws(() => walk(modules.slice(0, 1)), { code: 'ENOENT' });
  });

  it('finds nothing for a module without symbols, and says why others cannot be read', () => {
    const [lacking, damaged] = [moduleOf('lacking'), moduleOf('damaged')];
    const symbols = new StoredSymbols([lacking, damaged], [null, { problem: 'line 3 is no record' }]);
    assert.equal(symbols.find(lacking), undefined);
    assert.throws(() => symbols.find(damaged), { code: 'bad-symbols', message: 'line 3 is no record' });
  });
});
