import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, ModuleReport } from '@chauffeur/minidump/report';
import { findOwnCode, ownFunctions } from './own-code.ts';

function module(code_file: string): ModuleReport {
  const filename = code_file.slice(Math.max(code_file.lastIndexOf('/'), code_file.lastIndexOf('\\')) + 1);
  const place = { base_addr: '0x1000', end_addr: '0x2000', code_id: '', debug_file: filename, debug_id: '' };
  return { filename, code_file, ...place, version: null, symbols: 'missing', symbol_problem: null };
}

function frame(name: string | null, inModule: string | null = 'game', inlines: readonly string[] = []): Frame {
  return {
    frame: 0,
    trust: 'cfi',
    offset: '0x1010',
    return_address: '0x1011',
    module: inModule,
    module_offset: '0x10',
    function: name,
    function_offset: null,
    file: null,
    line: null,
    line_offset: null,
    inlines: inlines.map((called) => ({ function: called, file: null, line: null })),
    missing_symbols: name === null,
    unloaded_modules: [],
    registers: {},
  };
}

const MODULES = [
  '/home/<user>/games/game',
  '/home/<user>/games/libaudio.so',
  '/usr/lib/x86_64-linux-gnu/libc.so.6',
  'linux-gate.so',
].map(module);

function isOwn(name: string | null, inModule?: string | null): boolean | undefined {
  return findOwnCode(MODULES, 0, 'linux').of(frame(name, inModule)).at(-1)?.own;
}

describe("the game's own code", () => {
  it('includes its own modules, with and without names', () => {
    assert.deepEqual([isOwn('Car::Turn(int)'), isOwn(null), isOwn('mix', 'libaudio.so')], [true, true, true]);
  });

  it('excludes system folders, modules of the kernel, and frames without a module', () => {
    assert.deepEqual(
      [isOwn('qsort', 'libc.so.6'), isOwn(null, 'linux-gate.so'), isOwn(null, null)],
      [false, false, false],
    );
  });

  it("excludes what a compiler adds to the game's module: the standard library, allocators, abort functions", () => {
    const names = ['std::vector<int>::at(unsigned long)', 'core::panicking::panic_fmt', 'abort', '_start', 'memcpy'];
    assert.deepEqual(
      names.map((name) => isOwn(name)),
      names.map(() => false),
    );
  });

  it('includes the executable in any folder', () => {
    const modules = [module('/usr/lib/parking/game'), module('/usr/games/libaudio.so')];
    const code = findOwnCode(modules, 0, 'linux');
    assert.deepEqual([code.of(frame('run'))[0]?.own, code.of(frame('mix', 'libaudio.so'))[0]?.own], [true, true]);
  });

  it('is decided for each inlined function, in the order of the stack', () => {
    const owned = findOwnCode(MODULES, 0, 'linux').of(
      frame('Car::Turn()', 'game', ['std::move<int>', 'Wheel::Turn()']),
    );
    assert.deepEqual(
      owned.map(({ own }) => own),
      [false, true, true],
    );
  });

  it('recognizes the folder of Windows in any case', () => {
    const modules = ['C:\\Games\\game.exe', 'c:\\WINDOWS\\System32\\ntdll.dll'].map(module);
    const code = findOwnCode(modules, 0, 'windows');
    assert.equal(code.of(frame('RtlUserThreadStart', 'ntdll.dll'))[0]?.own, false);
  });
});

describe('the functions of a group', () => {
  it("are the labels of the game's first five functions, each once, without main", () => {
    const stack = ['abort', 'a(int)', 'b<float>(float)', 'a(long)', 'main', 'c', 'd', 'e', 'f'].map((name) =>
      frame(name),
    );
    assert.deepEqual(ownFunctions(stack, findOwnCode(MODULES, 0, 'linux')), ['a', 'b<T>', 'c', 'd', 'e']);
  });

  it('are empty if no frame has a name', () => {
    assert.deepEqual(ownFunctions([frame(null), frame('qsort', 'libc.so.6')], findOwnCode(MODULES, 0, 'linux')), []);
  });
});
