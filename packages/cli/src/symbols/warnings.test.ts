// Tests what is said about files of which a part is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conversion, Part } from './plan.ts';
import type { Module } from './threads.ts';
import { type Converted, describeMissing } from './warnings.ts';

const part = (name: string, changes: Partial<Part> = {}): Part => ({
  ...{ format: 'elf', cpu: 'x86_64', kind: 'program', id: 'A'.repeat(32), hasDebugInfo: true, debugName: undefined },
  file: { kind: 'native', path: `/build/${name}`, name, size: 1, isUnpacked: false },
  ...changes,
});

const converted = (main: Part, module: Partial<Module> = {}, conversion: Partial<Conversion> = {}): Converted => ({
  conversion: { main, counterpart: undefined, mismatch: undefined, splitFiles: [], ...conversion },
  module: {
    ...{ path: '', size: 1, sha256: '', cpu: main.cpu, debugFile: '', debugId: '', codeId: null, counterpart: null },
    ...{ functions: 5, publics: 2, lines: 9, hasUnwind: true },
    ...module,
  },
});

test('nothing is said about a complete module', () => {
  assert.deepEqual(describeMissing([converted(part('game'))]), []);
  const stripped = part('game', { hasDebugInfo: false });
  assert.deepEqual(describeMissing([converted(stripped, { counterpart: '/build/game.debug' })]), []);
});

test('stripped files are named together, up to five of them', () => {
  const names = ['a.so', 'b.so', 'c.so', 'd.so', 'e.so', 'f.so', 'g.so'];
  const files = names.map((name) => converted(part(name, { hasDebugInfo: false }), { functions: 0, lines: 0 }));
  const add = 'Add the file as it was before it was stripped, or its debug file';
  assert.deepEqual(describeMissing(files), [
    `a.so, b.so, c.so, d.so, e.so and 2 more have no debug information, only exported names and unwind data. ${add}, to get functions and lines.`,
  ]);
  assert.deepEqual(describeMissing(files.slice(0, 1)), [
    `a.so has no debug information, only exported names and unwind data. ${add}, such as a.so.debug, to get functions and lines.`,
  ]);
});

test('a PDB without its program is a problem except for x86', () => {
  const pdb = (cpu: string) => part('game.pdb', { format: 'pdb', kind: 'debug', cpu });
  assert.match(describeMissing([converted(pdb('arm64'), { hasUnwind: false })]).join(), /its program is missing/);
  assert.deepEqual(describeMissing([converted(pdb('x86'), { hasUnwind: false })]), []);
});

test('a debug file without functions is not said to need its program', () => {
  const empty = converted(part('data.so', { kind: 'debug' }), {
    functions: 0,
    publics: 0,
    lines: 0,
    hasUnwind: false,
  });
  const [warning, ...others] = describeMissing([empty]);
  assert.match(warning!, /^data\.so: its debug information has no functions\./);
  assert.deepEqual(others, []);
});

test('a debug file of another build is named with both ids', () => {
  const main = part('bin/game.exe', { format: 'pe', hasDebugInfo: false });
  const mismatch = part('obj/game.pdb', { format: 'pdb', kind: 'debug', id: 'B'.repeat(32) });
  assert.deepEqual(describeMissing([converted(main, {}, { mismatch })]), [
    `obj/game.pdb belongs to another build than bin/game.exe: its id is ${mismatch.id}, and bin/game.exe has ${main.id}. Add the PDB that was written together with game.exe.`,
  ]);
});

test('debug information without functions or lines says how to compile', () => {
  assert.match(
    describeMissing([converted(part('game'), { functions: 0, lines: 0 })]).join(),
    /no functions\. Compile and link with -g/,
  );
  const exe = part('game.exe', { format: 'pe' });
  assert.match(describeMissing([converted(exe, { lines: 0 })]).join(), /no lines\. Compile with \/Zi/);
});
