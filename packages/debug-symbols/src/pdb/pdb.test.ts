// cspell:ignore YAXXZ
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { runSteps } from '../threads/run-steps.ts';
import { openPdb } from './pdb.ts';
import { readPdb } from './read-pdb.ts';
import { buildMsf, CollectingSink, words } from './test-symbols.ts';

const FAST_LINK = 0x494e494d;
const NONE = new Uint8Array();
const INFO_VERSION = 20_000_404;
const GUID = Uint8Array.of(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8);

function join(...parts: (Uint8Array | number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The information stream, with `/names` as stream 5. */
function buildInfo(version = INFO_VERSION, features: number[] = []): Uint8Array {
  const name = new TextEncoder().encode('/names\0');
  return join(words(version, 0, 3), GUID, words(name.length), name, words(1, 1, 1, 1, 0, 0, 5), words(...features));
}

function buildDbi(age: number, machine: number, modules = NONE, optional = NONE): Uint8Array {
  const header = new Uint8Array(64);
  header.set(words(0xffffffff, 19_990_903, age));
  header.set(words(0xffff, 0xffff0000 | 0, modules.length), 16);
  header.set([0xff, 0xff], 20);
  header.set(words(optional.length), 48);
  header.set([machine & 0xff, machine >> 8], 58);
  return join(header, modules, optional);
}

function open(info: Uint8Array, dbi: Uint8Array, ...others: Uint8Array[]) {
  return openPdb(new MemorySource(buildMsf([NONE, info, NONE, dbi, NONE, ...others])));
}

test('identifies a PDB by the fields of its GUID and the age of its DBI stream', () => {
  const pdb = open(buildInfo(), buildDbi(0x1a, 0x8664));
  assert.equal(pdb.debugId, '76543210BA98FEDC01020304050607081a');
  assert.equal(pdb.cpu, 'x86_64');
  assert.deepEqual([...pdb.namedStreams], [['/names', 5]]);
});

test('names the CPU by its machine type', () => {
  assert.equal(open(buildInfo(), buildDbi(1, 0x14c)).cpu, 'x86');
  assert.equal(open(buildInfo(), buildDbi(1, 0xaa64)).cpu, 'arm64');
  assert.equal(open(buildInfo(), buildDbi(1, 0x1c4)).cpu, 'arm');
  assert.equal(open(buildInfo(), buildDbi(1, 0x9999)).cpu, 'unknown');
});

test('says how to link without /DEBUG:FASTLINK', () => {
  const info = buildInfo(INFO_VERSION, [20_140_508, FAST_LINK]);
  assert.throws(() => open(info, buildDbi(1, 0x8664)), { code: 'unsupported', message: /FASTLINK/ });
});

test('refuses the PDB of a compiler, and old versions', () => {
  assert.throws(() => open(buildInfo(), NONE), { code: 'unsupported', message: /only types/ });
  assert.throws(() => open(buildInfo(19_960_307), buildDbi(1, 0x8664)), { code: 'unsupported' });
  assert.throws(() => open(NONE, buildDbi(1, 0x8664)), { code: 'malformed' });
});

test('reads public symbols with the sections of the image if the PDB has none', () => {
  const dbi = buildDbi(1, 0x8664);
  dbi.set([6, 0], 20);
  const record = join([0, 0, 0x0e, 0x11], words(2, 0x20), [1, 0], new TextEncoder().encode('?f@@YAXXZ\0'));
  record[0] = record.length - 2;
  const pdb = open(buildInfo(), dbi, NONE, record);
  const demangle = (name: string) => name.replace('?f@@YAXXZ', 'f()');
  assert.throws(() => runSteps(readPdb(pdb, new CollectingSink(), { demangle })), {
    code: 'unsupported',
    message: /section/,
  });
  const sink = new CollectingSink();
  runSteps(readPdb(pdb, sink, { demangle, sections: [{ address: 0x1000, size: 0x100, executable: true }] }));
  assert.deepEqual(sink.publics, [{ address: 0x1020, name: 'f()', parameterSize: 0 }]);
});

test('has partial symbols if the stream of a module is missing', () => {
  const module = new Uint8Array(72);
  module.set([77, 0], 34);
  module.set(words(100), 36);
  const pdb = open(buildInfo(), buildDbi(1, 0x8664, module));
  const sink = new CollectingSink();
  runSteps(readPdb(pdb, sink, { demangle: String, sections: [{ address: 0x1000, size: 0x100, executable: true }] }));
  assert.deepEqual(sink.functions, []);
});
