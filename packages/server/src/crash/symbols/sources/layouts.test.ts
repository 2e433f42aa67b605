import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { breakpadPaths, cabinetPathOf, lookupModuleOf, nativePaths } from './layouts.ts';

const LIBC = {
  debugFile: '/usr/lib/x86_64-linux-gnu/libc.so.6',
  debugId: '44632389A1A66BD3E92EBD2CFF6A0BC00',
  codeFile: '/usr/lib/x86_64-linux-gnu/libc.so.6',
  codeId: '89236344A6A1D36BE92EBD2CFF6A0BC010DF8DFA',
};
const NTDLL = {
  debugFile: 'ntdll.pdb',
  debugId: '1EB9FACB04C73C5DEA7160764CD333D0a',
  codeFile: 'C:\\Windows\\System32\\ntdll.dll',
  codeId: '0CB95CFA1F5000',
};

const moduleOf = (module: typeof LIBC) => lookupModuleOf(module)!;
const joined = (paths: { debug: readonly string[] | null; code: readonly string[] | null } | null) =>
  paths && [paths.debug?.join('/'), paths.code?.join('/')];

test('a Breakpad server has a file by name and debug id, as it is or compressed', () => {
  assert.deepEqual(
    breakpadPaths(moduleOf(LIBC)).map((path) => path.join('/')),
    ['', '.gz', '.zst'].map((end) => `libc.so.6/${LIBC.debugId}/libc.so.6.sym${end}`),
  );
  assert.equal(breakpadPaths(moduleOf(NTDLL))[0]?.join('/'), `ntdll.pdb/${NTDLL.debugId}/ntdll.sym`);
});

test('debuginfod has ELF files by their whole build id', () => {
  const id = '89236344a6a1d36be92ebd2cff6a0bc010df8dfa';
  assert.deepEqual(joined(nativePaths('debuginfod', moduleOf(LIBC))), [
    `buildid/${id}/debuginfo`,
    `buildid/${id}/executable`,
  ]);
  const zeros = { ...LIBC, codeId: `00${LIBC.codeId.slice(2)}`, debugId: `446323${'00'}${LIBC.debugId.slice(8)}` };
  assert.equal(nativePaths('debuginfod', moduleOf(zeros))?.debug?.[1], `00${id.slice(2)}`);
});

test('debuginfod is not asked for other kinds of files', () => {
  const uuid = '44632389A1A66BD3E92EBD2CFF6A0BC0';
  const mac = { ...LIBC, debugFile: 'libSystem.B.dylib', debugId: `${uuid}0`, codeId: uuid };
  for (const module of [NTDLL, mac, { ...LIBC, codeId: '' }])
    assert.equal(nativePaths('debuginfod', moduleOf(module)), null);
});

test("Microsoft's server has PDBs by debug id, and programs by time and size", () => {
  assert.deepEqual(joined(nativePaths('microsoft', moduleOf(NTDLL))), [
    `ntdll.pdb/${NTDLL.debugId}/ntdll.pdb`,
    'ntdll.dll/0CB95CFA1f5000/ntdll.dll',
  ]);
  assert.deepEqual(joined(nativePaths('microsoft', moduleOf({ ...NTDLL, codeId: '' }))), [
    `ntdll.pdb/${NTDLL.debugId}/ntdll.pdb`,
    undefined,
  ]);
  assert.equal(nativePaths('microsoft', moduleOf(LIBC)), null);
  assert.equal(
    cabinetPathOf(['ntdll.pdb', NTDLL.debugId, 'ntdll.pdb']).join('/'),
    `ntdll.pdb/${NTDLL.debugId}/ntdll.pd_`,
  );
});

test("Microsoft's server has programs without a PDB by time and size alone", () => {
  const module = { ...NTDLL, debugFile: '', debugId: '' };
  const path = 'ntdll.dll/0CB95CFA1f5000/ntdll.dll';
  assert.deepEqual(joined(nativePaths('microsoft', moduleOf(module))), [undefined, path]);
  // Crash reporters write zeros for an id that is missing.
  const zeros = { ...module, debugFile: 'ntdll.dll', debugId: '0'.repeat(33) };
  assert.deepEqual(joined(nativePaths('microsoft', moduleOf(zeros))), [undefined, path]);
  // A build id has too many digits for a time and a size.
  assert.equal(nativePaths('microsoft', moduleOf({ ...LIBC, debugId: '' })), null);
});

test('a module without an id, or whose name is not a file name, is not looked up', () => {
  for (const module of [
    { ...LIBC, debugId: '', codeId: '' },
    { ...LIBC, debugId: '0'.repeat(33), codeId: '' },
    { ...LIBC, debugFile: '..', codeFile: '..' },
    { ...LIBC, debugFile: 'a\u0000b' },
    { ...LIBC, debugFile: '', codeFile: '' },
  ])
    assert.equal(lookupModuleOf(module), null, JSON.stringify(module));
});

test('no name or id leads out of its folder', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('..', '.', '../x', 'a/..', '%2e%2e', '\\..'),
  );
  fc.assert(
    fc.property(text, text, text, text, (debugFile, debugId, codeFile, codeId) => {
      const module = lookupModuleOf({ debugFile, debugId, codeFile, codeId });
      if (module === null) return;
      const native = [nativePaths('debuginfod', module), nativePaths('microsoft', module)];
      const paths = [...breakpadPaths(module), ...native.flatMap((each) => [each?.debug, each?.code])];
      for (const path of paths)
        for (const part of path ?? []) assert.ok(!['', '.', '..'].includes(part) && !/[/\\]/.test(part), part);
    }),
  );
});
