import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CodeViewDescription, DumpDescription, ModuleDescription } from '../../test/dump-writer/description.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MODULES, type Module } from './modules.ts';

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

/** The three that identify symbols. */
function identify(codeView: CodeViewDescription | undefined, description: DumpDescription = {}) {
  const { codeId, debugFile, debugId } = readOne(
    { name: '/usr/lib/libgame.so', timestamp: 0x5f00_0001, ...(codeView && { codeView }) },
    description,
  );
  return { codeId, debugFile, debugId };
}

for (const endian of ['little', 'big'] as const) {
  test(`A module of a ${endian}-endian dump has its place, path, checksum and timestamp.`, () => {
    const module = readOne({ checksum: 77, timestamp: 0x5f00_0001 }, { endian });
    assert.deepEqual(
      [module.base, module.size, module.codeFile, module.checksum, module.timestamp],
      [0x1_4000_0000n, 0x2a000, 'c:\\game\\game.exe', 77, 0x5f00_0001],
    );
  });

  test(`The records of a ${endian}-endian dump identify symbols alike.`, () => {
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

test('A PDB 7.0 record gives GUID and age as debug id, and the timestamp in 8 digits and the size as code id.', () => {
  const codeView = { kind: 'pdb70', guid: GUID, age: 0, file: 'game.pdb' } as const;
  assert.equal(readOne({ codeView, timestamp: 0x1a }).codeId, '0000001a2a000');
  assert.equal(readOne({ codeView }).debugId, `${GUID}0`);
});

test('A PDB 2.0 record gives its signature in 8 digits and the age.', () => {
  const codeView = { kind: 'pdb20', signature: 0xbeef01, age: 0x1f, file: 'c:\\old.pdb' } as const;
  assert.deepEqual(identify(codeView), { codeId: '5f0000012a000', debugFile: 'old.pdb', debugId: '00BEEF011f' });
});

test('A build id is the code id as it is, and its first 16 bytes read as a GUID with age 0 are the debug id.', () => {
  assert.deepEqual(identify({ kind: 'elf', buildId: '00112233445566778899aabbccddeeff00112233' }, { system: LINUX }), {
    codeId: '00112233445566778899aabbccddeeff00112233',
    debugFile: 'libgame.so',
    debugId: '33221100554477668899AABBCCDDEEFF0',
  });
});

test('A build id shorter than a GUID is filled up with zeros.', () => {
  const { codeId, debugId } = identify({ kind: 'elf', buildId: '10faa6bbaab83db3' }, { system: LINUX });
  assert.deepEqual([codeId, debugId], ['10faa6bbaab83db3', 'BBA6FA10B8AAB33D00000000000000000']);
});

test('A build id of zeros, or of no bytes, identifies nothing.', () => {
  for (const buildId of ['', '00'.repeat(20)])
    assert.deepEqual(identify({ kind: 'elf', buildId }, { system: LINUX }), {
      codeId: '',
      debugFile: 'libgame.so',
      debugId: '',
    });
});

test('On macOS the code id is the UUID of the PDB record.', () => {
  const codeView = { kind: 'pdb70', guid: GUID, age: 0, file: 'game' } as const;
  for (const system of [MACOS, { platformId: 0x8102 }])
    assert.equal(identify(codeView, { system }).codeId, GUID.toLowerCase());
});

test('Without a record a module of Windows has a code id, and one of other systems has not.', () => {
  assert.deepEqual(identify(undefined), { codeId: '5f0000012a000', debugFile: '', debugId: '' });
  assert.deepEqual(identify(undefined, { system: LINUX }), { codeId: '', debugFile: '', debugId: '' });
});

test('A record of another kind counts as none; one that is cut off or lies outside the file too, with a warning.', () => {
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

test('A record that ends before the name of the file has its ids all the same.', () => {
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

test('A record too short for its kind’s name counts as none, with a warning.', () => {
  const codeView = { kind: 'raw', bytes: Uint8Array.of(0x52, 0x53, 0x44) } as const;
  const { warnings } = readWritten(MODULES, { modules: [{ ...place, name: 'a.dll', codeView }] });
  assert.deepEqual(warnings, ['ModuleListStream: a.dll: its CodeView record has only 3 bytes']);
});

test('Windows and macOS pack two numbers of a version into a field; Linux gives each its own.', () => {
  const version = [0x1_0002, 0x3_0004, 5, 6] as const;
  assert.equal(readOne({ version }).version, '1.2.3.4');
  assert.equal(readOne({ version }, { system: MACOS }).version, '1.2.3.4');
  assert.equal(readOne({ version: [1, 2, 3, 4] }, { system: LINUX }).version, '1.2.3.4');
  assert.equal(readOne({}).version, undefined);
});

test('A module of no bytes, and one that goes past the end of all addresses, keep their place in the list, with a warning.', () => {
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
    'ModuleListStream: empty.dll: 0 bytes at 0x1000 are no place for a module',
    'ModuleListStream: beyond.dll: 65537 bytes at 0xffffffffffff0000 are no place for a module',
  ]);
});

test('A module whose name cannot be read stays, with its ids and a warning.', () => {
  const codeView = { kind: 'pdb70', guid: GUID, age: 1, file: 'game.pdb' } as const;
  const modules = [{ ...place, name: 'game.exe', codeView }];
  const { stream, warnings } = readDamaged(MODULES, { modules }, { at: 4 + 20, value: 0xffff_fff0 });
  assert.deepEqual([stream?.[0]?.codeFile, stream?.[0]?.debugId], ['', `${GUID}1`]);
  assert.match(warnings.join(), /the name of the module at 0x140000000 cannot be read/);
});

test('A module without a place for its name has none, and nothing is wrong.', () => {
  const { stream, warnings } = readWritten(MODULES, { modules: [place] });
  assert.equal(stream?.[0]?.codeFile, '');
  assert.deepEqual(warnings, []);
});
