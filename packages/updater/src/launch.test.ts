// cspell:ignore unins
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Os } from '@chauffeur/contract/platform-names';
import type { Manifest } from '@chauffeur/deltas/manifest';
import { findPrograms, programOf } from './launch.ts';
import type { Install } from './state.ts';

function manifestOf(files: Readonly<Record<string, number>>): Manifest {
  const entries = Object.entries(files).map(([path, mode]) => ({ path, type: 'file', mode }));
  return { entries } as unknown as Manifest;
}

test('the program is the executable file with the fewest folders, without the helpers of engines', () => {
  const cases: [Os, Record<string, number>, string[]][] = [
    ['linux', { 'owls.x86_64': 0o755, 'lib/tool': 0o755, 'libowls.so': 0o755, 'data.pck': 0o644 }, ['owls.x86_64']],
    ['linux', { 'owls.sh': 0o755, 'editor.sh': 0o755, crashpad_handler: 0o755 }, ['editor.sh', 'owls.sh']],
    ['windows', { 'Owls.exe': 0, 'UnityCrashHandler64.exe': 0, 'unins000.exe': 0, 'bin/Other.exe': 0 }, ['Owls.exe']],
    ['windows', { 'Owls/Binaries/Win64/Owls.exe': 0, 'Engine/Setup.exe': 0 }, ['Owls/Binaries/Win64/Owls.exe']],
    ['macos', { 'Owls.app/Contents/MacOS/Owls': 0o755, 'Owls.app/Contents/Info.plist': 0o644 }, ['Owls.app']],
    ['linux', { 'data.pck': 0o644 }, []],
  ];
  for (const [os, files, programs] of cases) assert.deepEqual(findPrograms(manifestOf(files), os), programs);
});

test('the player chooses among several programs, but only of the game', () => {
  const manifest = manifestOf({ 'owls.sh': 0o755, 'editor.sh': 0o755 });
  const install = { os: 'linux', program: null } as Install;
  assert.throws(() => programOf(install, manifest), /several programs: editor.sh, owls.sh/);
  assert.equal(programOf({ ...install, program: 'owls.sh' }, manifest), 'owls.sh');
  // A new version may not have it any more.
  assert.equal(programOf({ ...install, program: 'gone.sh' }, manifestOf({ 'owls.sh': 0o755 })), 'owls.sh');
  assert.throws(() => programOf(install, manifestOf({ 'bin/owls.sh': 0o755 }), 'bin'), /no file/);
  for (const other of ['../evil.sh', '/bin/sh', 'none'])
    assert.throws(() => programOf(install, manifest, other), /no file/);
  assert.throws(() => programOf(install, manifestOf({})), /No program/);
});
