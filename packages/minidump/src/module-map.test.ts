import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ModuleMap } from './module-map.ts';
import type { Module } from './streams/modules.ts';

function module(base: bigint, size: number, codeFile = ''): Module {
  const unknown = { checksum: 0, timestamp: 0, codeId: '', debugFile: '', debugId: '', version: undefined };
  return { base, size, codeFile, ...unknown };
}

test('An address is found in its module, from the first byte to the last.', () => {
  const [game, engine] = [module(0x5000n, 0x1000), module(0x1000n, 0x1000)];
  const map = new ModuleMap([game, engine]);
  assert.equal(map.at(0x1000n), engine);
  assert.equal(map.at(0x1fffn), engine);
  assert.equal(map.at(0x2000n), undefined);
  assert.equal(map.at(0xfffn), undefined);
  assert.equal(map.at(0x5800n), game);
});

test('The main module is the first of the dump, wherever it lies.', () => {
  const game = module(0x5000n, 0x1000);
  assert.equal(new ModuleMap([game, module(0x1000n, 0x1000)]).main, game);
  assert.equal(new ModuleMap([]).main, undefined);
});

test('The end is one past the highest address of any module, and 0 without modules.', () => {
  assert.equal(new ModuleMap([module(0x5000n, 0x1000), module(0x1000n, 0x800)]).end, 0x6000n);
  assert.equal(new ModuleMap([]).end, 0n);
});

test('Modules are listed by address.', () => {
  const map = new ModuleMap([module(3n, 1), module(1n, 1), module(2n, 1)]);
  assert.deepEqual(
    map.byAddress.map(({ base }) => base),
    [1n, 2n, 3n],
  );
});

// Android, packed relocations: libchrome.so says 0x3000 bytes and the next library begins 0x2000 after it.
test('Where two modules overlap, the lower one keeps its addresses and the other has the rest.', () => {
  const [lower, upper] = [module(0x1000n, 0x3000), module(0x3000n, 0x2000)];
  const map = new ModuleMap([upper, lower]);
  assert.equal(map.at(0x3fffn), lower);
  assert.equal(map.at(0x4000n), upper);
  assert.equal(map.at(0x4fffn), upper);
});

test('A module that lies wholly in another takes nothing away from it, and is listed.', () => {
  const [outer, inner] = [module(0x1000n, 0x4000), module(0x2000n, 0x1000)];
  const map = new ModuleMap([outer, inner]);
  assert.equal(map.at(0x2800n), outer);
  assert.equal(map.at(0x4800n), outer);
  assert.deepEqual(map.byAddress, [outer, inner]);
});

test('Of two modules at one address the first of the dump counts.', () => {
  const [first, second] = [module(0x1000n, 0x1000, 'a'), module(0x1000n, 0x1000, 'b')];
  assert.equal(new ModuleMap([first, second]).at(0x1000n), first);
});

test('A module at the very end of all addresses is found.', () => {
  const last = module(0xffff_ffff_ffff_f000n, 0x1000);
  assert.equal(new ModuleMap([last]).at(0xffff_ffff_ffff_ffffn), last);
});

test('Nothing is found in a module of no bytes, or in one that goes past the end of all addresses.', () => {
  const empty = module(0x1000n, 0);
  const beyond = module(0xffff_ffff_ffff_0000n, 0x1_0001);
  const map = new ModuleMap([empty, beyond]);
  assert.equal(map.at(0x1000n), undefined);
  assert.equal(map.at(0xffff_ffff_ffff_8000n), undefined);
  assert.equal(map.main, empty);
});

test('An address is in some module exactly when a module covers it, and then in one that does.', () => {
  const modules = fc.array(fc.tuple(fc.nat(100), fc.integer({ min: 1, max: 30 })), { maxLength: 12 });
  fc.assert(
    fc.property(modules, fc.nat(150), (list, place) => {
      const address = BigInt(place);
      const all = list.map(([base, size]) => module(BigInt(base), size));
      const covering = all.filter(({ base, size }) => address >= base && address < base + BigInt(size));
      const found = new ModuleMap(all).at(address);
      if (covering.length === 0) assert.equal(found, undefined);
      else assert.ok(found !== undefined && covering.includes(found));
    }),
  );
});
