import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CodeViewDescription, DumpDescription, ModuleDescription } from '../../test/dump-writer/description.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MODULES, type Module, UNLOADED_MODULES } from './modules.ts';

const WINDOWS = { platformId: 2 };
const LINUX = { platformId: 0x8201 };
const MACOS = { platformId: 0x8101 };
const GUID = '0123456789ABCDEF0123456789ABCDEF';

const place = { base: 0x1_4000_0000n, size: 0x2a000 };

function readOne(module: Partial<ModuleDescription>, description: DumpDescription = {}): Module {
  const { stream, warnings } = readWritten(MODULES, {
    system: WINDOWS,
    ...description,
    modules: [{ ...place, name: 'c:\\game\\game.exe', ...module }],
  });
  assert.deepEqual(warnings, []);
  return stream![0]!;
}

/** The fields that identify symbols. */
function identify(codeView: CodeViewDescription | undefined, description: DumpDescription = {}) {
  const { codeId, debugFile, debugId } = readOne(
    { name: '/usr/lib/libgame.so', timestamp: 0x5f00_0001, ...(codeView && { codeView }) },
    description,
  );
  return { codeId, debugFile, debugId };
}

for (const endian of ['little', 'big'] as const) {
  test(`reads the range, path, checksum and timestamp of a module in a ${endian}-endian dump`, () => {
    const module = readOne({ checksum: 77, timestamp: 0x5f00_0001 }, { endian });
    assert.deepEqual(
      [module.base, module.size, module.codeFile, module.checksum, module.timestamp],
      [0x1_4000_0000n, 0x2a000, 'c:\\game\\game.exe', 77, 0x5f00_0001],
    );
  });

  test(`reads CodeView records in a ${endian}-endian dump`, () => {
    const pdb = { kind: 'pdb70', guid: GUID, age: 31, file: 'd:\\build\\game.pdb' } as const;
    assert.deepEqual(identify(pdb, { endian }), {
      codeId: '5f0000012a000',
      debugFile: 'game.pdb',
      debugId: `${GUID}1f`,
    });
    const elf = { kind: 'elf', buildId: '00112233445566778899aabbccddeeff00112233' } as const;
    assert.equal(identify(elf, { endian, system: LINUX }).codeId, elf.buildId);
  });
}

test('uses GUID and age of a PDB 7.0 record as debug id, and timestamp (8 digits) and size as code id', () => {
  const codeView = { kind: 'pdb70', guid: GUID, age: 0, file: 'game.pdb' } as const;
  assert.equal(readOne({ codeView, timestamp: 0x1a }).codeId, '0000001a2a000');
  assert.equal(readOne({ codeView }).debugId, `${GUID}0`);
});

test('uses the signature (8 digits) and age of a PDB 2.0 record as debug id', () => {
  const codeView = { kind: 'pdb20', signature: 0xbeef01, age: 0x1f, file: 'c:\\old.pdb' } as const;
  assert.deepEqual(identify(codeView), { codeId: '5f0000012a000', debugFile: 'old.pdb', debugId: '00BEEF011f' });
});

test('uses a build id as code id, and its first 16 bytes as a GUID with age 0 as debug id', () => {
  assert.deepEqual(identify({ kind: 'elf', buildId: '00112233445566778899aabbccddeeff00112233' }, { system: LINUX }), {
    codeId: '00112233445566778899aabbccddeeff00112233',
    debugFile: 'libgame.so',
    debugId: '33221100554477668899AABBCCDDEEFF0',
  });
});

test('pads a build id that is shorter than a GUID with zeros', () => {
  const { codeId, debugId } = identify({ kind: 'elf', buildId: '10faa6bbaab83db3' }, { system: LINUX });
  assert.deepEqual([codeId, debugId], ['10faa6bbaab83db3', 'BBA6FA10B8AAB33D00000000000000000']);
});

test('returns no ids for a build id that is empty or all zeros', () => {
  for (const buildId of ['', '00'.repeat(20)])
    assert.deepEqual(identify({ kind: 'elf', buildId }, { system: LINUX }), {
      codeId: '',
      debugFile: 'libgame.so',
      debugId: '',
    });
});

test('uses the UUID of the PDB record as code id on macOS', () => {
  const codeView = { kind: 'pdb70', guid: GUID, age: 0, file: 'game' } as const;
  for (const system of [MACOS, { platformId: 0x8102 }])
    assert.equal(identify(codeView, { system }).codeId, GUID.toLowerCase());
});

test('returns a code id for a module without a record only on Windows', () => {
  assert.deepEqual(identify(undefined), { codeId: '5f0000012a000', debugFile: '', debugId: '' });
  assert.deepEqual(identify(undefined, { system: LINUX }), { codeId: '', debugFile: '', debugId: '' });
});

test('ignores unknown records, and warns about records that are cut off or outside the file', () => {
  const unknown = { kind: 'raw', bytes: Uint8Array.of(0x4e, 0x42, 0x31, 0x31, 0, 0, 0, 0) } as const;
  assert.equal(identify(unknown).debugId, '');
  const cut = { kind: 'raw', bytes: Uint8Array.of(0x52, 0x53, 0x44, 0x53, 1, 2, 3) } as const;
  const { stream, warnings } = readWritten(MODULES, { modules: [{ ...place, name: 'a.dll', codeView: cut }] });
  assert.equal(stream?.[0]?.debugId, '');
  assert.deepEqual(warnings, ['ModuleListStream: a.dll: its CodeView record has only 7 bytes']);
  const outside = readDamaged(
    MODULES,
    { modules: [{ ...place, name: 'a.dll', codeView: cut }] },
    { at: 84, value: 2 ** 31 },
  );
  assert.deepEqual(outside.warnings, ['ModuleListStream: a.dll: its CodeView record cannot be read']);
});

test('reads the ids of a record without a file name', () => {
  const record = (letters: string, size: number) => {
    const bytes = new Uint8Array(size).fill(1);
    bytes.set(new TextEncoder().encode(letters));
    return { kind: 'raw', bytes } as const;
  };
  assert.deepEqual(identify(record('RSDS', 24)), {
    codeId: '5f0000012a000',
    debugFile: '',
    debugId: `${'01'.repeat(16)}1010101`,
  });
  assert.equal(identify(record('NB10', 16)).debugId, '010101011010101');
});

test('warns about a record that is too short for its signature', () => {
  const codeView = { kind: 'raw', bytes: Uint8Array.of(0x52, 0x53, 0x44) } as const;
  const { warnings } = readWritten(MODULES, { modules: [{ ...place, name: 'a.dll', codeView }] });
  assert.deepEqual(warnings, ['ModuleListStream: a.dll: its CodeView record has only 3 bytes']);
});

test('reads versions with two numbers per field on Windows and macOS, and one per field on Linux', () => {
  const version = [0x1_0002, 0x3_0004, 5, 6] as const;
  assert.equal(readOne({ version }).version, '1.2.3.4');
  assert.equal(readOne({ version }, { system: MACOS }).version, '1.2.3.4');
  assert.equal(readOne({ version: [1, 2, 3, 4] }, { system: LINUX }).version, '1.2.3.4');
  assert.equal(readOne({}).version, undefined);
});

test('keeps modules that are empty or extend past the end of the address space, with a warning', () => {
  const { stream, warnings } = readWritten(MODULES, {
    modules: [
      { base: 0x1000n, size: 0, name: 'empty.dll' },
      { base: 0xffff_ffff_ffff_0000n, size: 0x1_0001, name: 'beyond.dll' },
      { base: 0xffff_ffff_ffff_0000n, size: 0x1_0000, name: 'last.dll' },
      { base: 0x2000n, size: 1, name: 'tiny.dll' },
    ],
  });
  assert.deepEqual(
    stream?.map(({ codeFile }) => codeFile),
    ['empty.dll', 'beyond.dll', 'last.dll', 'tiny.dll'],
  );
  assert.deepEqual(warnings, [
    'ModuleListStream: empty.dll: invalid address range (0 bytes at 0x1000)',
    'ModuleListStream: beyond.dll: invalid address range (65537 bytes at 0xffffffffffff0000)',
  ]);
});

test('reads the ids of a module with an unreadable name, with a warning', () => {
  const codeView = { kind: 'pdb70', guid: GUID, age: 1, file: 'game.pdb' } as const;
  const modules = [{ ...place, name: 'game.exe', codeView }];
  const { stream, warnings } = readDamaged(MODULES, { modules }, { at: 4 + 20, value: 0xffff_fff0 });
  assert.deepEqual([stream?.[0]?.codeFile, stream?.[0]?.debugId], ['', `${GUID}1`]);
  assert.match(warnings.join(), /the name of the module at 0x140000000 cannot be read/);
});

test('reads a module without a name, without a warning', () => {
  const { stream, warnings } = readWritten(MODULES, { modules: [place] });
  assert.equal(stream?.[0]?.codeFile, '');
  assert.deepEqual(warnings, []);
});

test('reads the range, name, checksum and timestamp of unloaded modules, even if they overlap', () => {
  const unloadedModules = [
    { base: 0x7ff9_0f45_0000n, size: 0xea000, name: 'plugin.dll', checksum: 4, timestamp: 5 },
    { base: 0x7ff9_0f45_0000n, size: 0x1000, name: 'other.dll', checksum: 6, timestamp: 7 },
  ];
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(UNLOADED_MODULES, { endian, unloadedModules }), {
      stream: unloadedModules.map(({ name, ...module }) => ({ ...module, codeFile: name })),
      warnings: [],
    });
});
