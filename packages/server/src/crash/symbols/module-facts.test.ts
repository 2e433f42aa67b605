// Which symbol files are accepted by their first line, and which module they belong to.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { describeShortcoming, formatPoorer, readModuleFacts, replaces } from './module-facts.ts';

const read = (line: string) => readModuleFacts(Buffer.from(`${line}\nFILE 0 a.c\n`));
function facts(line: string) {
  const result = read(line);
  assert.ok(!('refused' in result), JSON.stringify(result));
  return result;
}
function refusalOf(line: string): string {
  const result = read(line);
  assert.ok('refused' in result);
  return result.refused;
}
const GUID = '5A9832E5287241C1838ED98914E9B7FF';

test('a MODULE line provides the module with its base name and normalized id', () => {
  assert.deepEqual(read(`MODULE windows x86 ${GUID.toLowerCase()}1F C:\\out\\test app.pdb`), {
    debugFile: 'test app.pdb',
    debugId: `${GUID}1f`,
    codeId: '',
    os: 'windows',
    cpu: 'x86',
  });
});

test('OS names are recognized as their tools write them', () => {
  const osOf = (os: string) => {
    const facts = read(`MODULE ${os} x86 ${GUID}0 a`);
    return 'os' in facts ? facts.os : null;
  };
  const written = ['Linux', 'linux', 'Android', 'mac', 'macOS', 'iOS', 'windows', 'Windows', 'solaris', 'constructor'];
  assert.deepEqual(written.map(osOf), [
    ...['linux', 'linux', 'android', 'macos', 'macos', 'ios', 'windows', 'windows'],
    ...[null, null],
  ]);
});

test('a module of MinGW without a name has that of its program', () => {
  const { debugFile, debugId, codeId } = facts(`MODULE windows x86_64 ${GUID}1 \nINFO CODE_ID 6B03121A14000 game.exe`);
  assert.deepEqual([debugFile, debugId, codeId], ['game.exe', `${GUID}1`, '6b03121a14000']);
  assert.match(refusalOf(`MODULE windows x86_64 ${GUID}1 `), /^neither its MODULE line nor/);
});

test('a module whose debug id is all zeros has its code id instead', () => {
  const zeros = '0'.repeat(33);
  const { debugId, codeId } = facts(`MODULE windows x86_64 ${zeros} godot.exe\nINFO CODE_ID 63CF138F21000 godot.exe`);
  assert.deepEqual([debugId, codeId], ['63cf138f21000', '63cf138f21000']);
  assert.deepEqual(facts(`MODULE mac arm64 ${zeros} physics.o`).debugId, zeros);
});

const refusals: [what: string, bytes: string | Buffer, reason: RegExp][] = [
  ['an empty file', '', /^it is empty/],
  [
    'UTF-16 of PowerShell',
    Buffer.from(`\ufeffMODULE windows x86 ${GUID}1 a.pdb`, 'utf16le'),
    /^it is encoded in UTF-16/,
  ],
  ['UTF-16 without a mark', Buffer.from(`MODULE windows x86 ${GUID}1 a.pdb`, 'utf16le'), /^it is encoded in UTF-16/],
  ['UTF-16, big end first', Buffer.from(`\ufeffMODULE a`, 'utf16le').swap16(), /^it is encoded in UTF-16/],
  ['a byte order mark', `\ufeffMODULE windows x86 ${GUID}1 a.pdb\n`, /^it begins with a byte order mark/],
  [
    'a debug id without an age',
    `MODULE Linux x86_64 ${GUID} libgame.so\r\n`,
    /^its debug id has 32 digits, so the age/,
  ],
  ['such an id of MinGW', `MODULE windows x86_64 ${GUID}`, /^its debug id has 32 digits, so the age/],
  ['a debug id with hyphens', 'MODULE windows x86 5A9832E5-2872-41C1-838E-D98914E9B7FF-1 a.pdb', /hyphens/],
  ['an ELF file', '\x7fELF\x02\x01\x01', /^it is an ELF program, library or debug file/],
  ['a PDB', 'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0', /^it is a PDB/],
  ['an old PDB', 'Microsoft C/C++ program database 2.00', /^it is a PDB/],
  ['a PDB of .NET', 'BSJB\x01\0\x01\0', /portable PDB of \.NET/],
  ['a dSYM', Buffer.from('cffaedfe0c000001', 'hex'), /^it is a Mach-O/],
  ['a universal dSYM', Buffer.from('cafebabe00000002', 'hex'), /^it is a Mach-O/],
  ['a program of Windows', 'MZ\x90\0', /^it is a Windows program or DLL/],
  ['a static library', '!<arch>\n/ ', /^it is a static library/],
  ['a .sym.gz', Buffer.from('1f8b0800', 'hex'), /^it is compressed with gzip/],
  ['a .sym.zst', Buffer.from('28b52ffd', 'hex'), /^it is compressed with zstd/],
  ['a .sy_', 'MSCF\0\0\0\0', /^it is a cabinet archive/],
  ['an HTML page', '\n<!DOCTYPE html><title>Not found</title>', /^it is an HTML page/],
  ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:', /^it is a pointer of Git LFS/],
];
for (const [what, bytes, reason] of refusals) {
  test(`${what} is refused as what it is, with a remedy`, () => {
    const read = readModuleFacts(Buffer.from(bytes));
    assert.ok('refused' in read);
    assert.match(read.refused, reason);
    assert.match(read.remedy, /^[A-Z].*\.$/);
  });
}

for (const line of ['ELF', 'MODULE Linux', 'MODULE Linux x86', `module Linux x86 ${GUID}0 a`]) {
  test(`${JSON.stringify(line)} is not a symbol file`, () => {
    assert.match((read(line) as { refused: string }).refused, /^its first line is not a MODULE line/);
  });
}

for (const name of ['..', 'a:b', 'nul', 'a.', 'x'.repeat(300), '/', 'a\u0001']) {
  test(`a module cannot be called ${JSON.stringify(name.slice(0, 20))}`, () => {
    assert.match((read(`MODULE Linux x86 ${GUID}0 ${name}`) as { refused: string }).refused, /^its module name/);
  });
}

const textFacts = (functions: number, detail: 0 | 1 | 2 | 3, records: number) => ({
  ...{ functions, detail, records },
  unwind: 0,
});
const LINES = textFacts(1200, 3, 40_000);
const FUNCTIONS = textFacts(90_000, 2, 90_000);

describe('a new symbol file', () => {
  const existing = { ...LINES, state: 'compiled' } as const;

  it('replaces one with less detail, whatever their numbers of records are', () => {
    assert.equal(replaces(LINES, { ...FUNCTIONS, state: 'compiled' }), true);
    assert.equal(replaces(FUNCTIONS, existing), false);
  });

  it('replaces one with as many records or fewer', () => {
    assert.deepEqual(
      [39_999, 40_000, 40_001].map((records) => replaces(textFacts(1, 3, records), existing)),
      [false, true, true],
    );
  });

  it('replaces one that cannot be read', () => {
    assert.equal(replaces(textFacts(0, 0, 0), { ...existing, state: 'unreadable' }), true);
  });

  it('replaces one that was not counted yet only if it has functions', () => {
    const unknown = { state: 'compiled', detail: null, records: null } as const;
    assert.deepEqual([replaces(textFacts(1, 2, 1), unknown), replaces(textFacts(0, 1, 99), unknown)], [true, false]);
  });
});

it('the reason names what both files have', () => {
  assert.equal(
    formatPoorer(textFacts(0, 1, 62), LINES),
    'The build already has a richer file of this module, with 1,200 functions and their lines (40,000 records); this one has no functions, so it is not used. To use it, delete the other one first.',
  );
});

const FILE = {
  os: 'linux',
  debug_id: 'A0',
  code_id: '',
  unwind: 0,
  native_checksum: null,
  best_detail: 3,
  best_unwind: 0,
} as const;

it('a program needs no functions if another file has them, and a PDB needs unwind rules', () => {
  const native = { ...FILE, native_checksum: 'ab', best_unwind: 9 };
  assert.equal(describeShortcoming({ ...native, detail: 1, unwind: 9 }), null);
  assert.match(describeShortcoming({ ...native, detail: 1, unwind: 9, best_detail: 1 }) ?? '', /^It has no functions/);
  assert.equal(describeShortcoming({ ...native, detail: 3 }), null);
  assert.match(describeShortcoming({ ...native, detail: 3, best_unwind: 0 }) ?? '', /^It has no unwind rules/);
  assert.equal(describeShortcoming({ ...native, os: 'web', detail: 3, best_unwind: 0 }), null);
});

it('a file with functions and an id has no shortcoming', () => {
  const ids = { ...FILE, detail: 3 } as const;
  assert.equal(describeShortcoming({ ...ids, detail: 2 }), null);
  assert.equal(describeShortcoming({ ...ids, detail: null }), null);
  assert.match(describeShortcoming({ ...ids, detail: 1 }) ?? '', /^It has no functions, only public names/);
  assert.match(describeShortcoming({ ...ids, debug_id: '000', detail: 3 }) ?? '', /^It has neither a debug id/);
  assert.equal(describeShortcoming({ ...ids, debug_id: '63cf138f21000', code_id: '63cf138f21000', detail: 3 }), null);
});
