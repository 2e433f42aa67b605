import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ModuleMap } from './module-map.ts';
import type { Module } from './streams/modules.ts';

function module(base: bigint, size: number, codeFile = ''): Module {
  const unknown = { checksum: 0, timestamp: 0, codeId: '', debugFile: '', debugId: '', version: undefined };
  return { base, size, codeFile, ...unknown };
}

test('finds an address in its module, from the first byte to the last', () => {
  const [game, engine] = [module(0x5000n, 0x1000), module(0x1000n, 0x1000)];
  const map = new ModuleMap([game, engine]);
  assert.equal(map.at(0x1000n), engine);
  assert.equal(map.at(0x1fffn), engine);
  assert.equal(map.at(0x2000n), undefined);
  assert.equal(map.at(0xfffn), undefined);
  assert.equal(map.at(0x5800n), game);
});

test('uses the first module of the dump as the main module, at any address', () => {
  const game = module(0x5000n, 0x1000);
  assert.equal(new ModuleMap([game, module(0x1000n, 0x1000)]).main, game);
  assert.equal(new ModuleMap([]).main, undefined);
});

test('ends one past the highest address of any module, and at 0 without modules', () => {
  assert.equal(new ModuleMap([module(0x5000n, 0x1000), module(0x1000n, 0x800)]).end, 0x6000n);
  assert.equal(new ModuleMap([]).end, 0n);
});

test('lists modules by address', () => {
  const map = new ModuleMap([module(3n, 1), module(1n, 1), module(2n, 1)]);
  assert.deepEqual(
    map.byAddress.map(({ base }) => base),
    [1n, 2n, 3n],
  );
});

// Android packs relocations: libchrome.so claims 0x3000 bytes, but the next library starts 0x2000 after it.
test('assigns the overlap of two modules to the lower one', () => {
  const [lower, upper] = [module(0x1000n, 0x3000), module(0x3000n, 0x2000)];
  const map = new ModuleMap([upper, lower]);
  assert.equal(map.at(0x3fffn), lower);
  assert.equal(map.at(0x4000n), upper);
  assert.equal(map.at(0x4fffn), upper);
});

test('lists a module that is completely inside another, but finds no address in it', () => {
  const [outer, inner] = [module(0x1000n, 0x4000), module(0x2000n, 0x1000)];
  const map = new ModuleMap([outer, inner]);
  assert.equal(map.at(0x2800n), outer);
  assert.equal(map.at(0x4800n), outer);
  assert.deepEqual(map.byAddress, [outer, inner]);
});

test('uses the first of two modules at the same address', () => {
  const [first, second] = [module(0x1000n, 0x1000, 'a'), module(0x1000n, 0x1000, 'b')];
  assert.equal(new ModuleMap([first, second]).at(0x1000n), first);
});

test('finds a module at the end of the address space', () => {
  const last = module(0xffff_ffff_ffff_f000n, 0x1000);
  assert.equal(new ModuleMap([last]).at(0xffff_ffff_ffff_ffffn), last);
});

test('finds nothing in an empty module or one that extends past the end of the address space', () => {
  const empty = module(0x1000n, 0);
  const beyond = module(0xffff_ffff_ffff_0000n, 0x1_0001);
  const map = new ModuleMap([empty, beyond]);
  assert.equal(map.at(0x1000n), undefined);
  assert.equal(map.at(0xffff_ffff_ffff_8000n), undefined);
  assert.equal(map.main, empty);
});

test('finds a module exactly for the addresses that some module covers', () => {
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
