import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, ModuleReport, Report } from '@chauffeur/minidump/report';
import { findStops, MAX_STOPS } from './walk-stops.ts';

const FOLDERS: Readonly<Record<string, string>> = {
  'ntdll.dll': 'C:\\Windows\\System32',
  'kernel32.dll': 'C:\\Windows\\System32',
};

function moduleNamed(filename: string, index: number): ModuleReport {
  return {
    base_addr: `0x${(0x10000 * (index + 1)).toString(16).padStart(16, '0')}`,
    end_addr: `0x${(0x10000 * (index + 2)).toString(16).padStart(16, '0')}`,
    filename,
    code_file: `${FOLDERS[filename] ?? 'C:\\Games\\Owls'}\\${filename}`,
    code_id: '',
    debug_file: filename.replace(/\w+$/, 'pdb'),
    debug_id: `AB${index}`,
    version: '1.2',
    symbols: 'missing',
    symbol_problem: null,
  };
}

/** `frames` are `module trust`, innermost first. The first module is the executable. */
function stopsOf(frames: readonly string[], { incomplete = false } = {}) {
  const names = [...new Set(['game.exe', ...frames.map((text) => text.split(' ')[0]!)])].filter(
    (name) => name !== 'jit',
  );
  const modules = names.map(moduleNamed);
  const walked = frames.map((text, index): Frame => {
    const [name = '', trust] = text.split(' ');
    const at = modules.find(({ filename }) => filename === name);
    return {
      frame: index,
      trust: trust as Frame['trust'],
      offset: at?.base_addr ?? '0x0000000000000010',
      return_address: '0x0',
      module: at?.filename ?? null,
      module_offset: at === undefined ? null : '0x0',
      function: name === 'game.exe' ? 'Game::Step()' : null,
      function_offset: null,
      file: null,
      line: null,
      line_offset: null,
      inlines: [],
      missing_symbols: name !== 'game.exe',
      unloaded_modules: [],
      registers: {},
    };
  });
  const report = {
    system_info: { os: 'Windows NT', os_ver: '10.0', cpu_arch: 'amd64', cpu_info: null, cpu_count: 8 },
    crash_info: { type: null, address: null, crashing_thread: 0, assertion: null },
    main_module: 0,
    modules,
    threads: [
      {
        thread_id: 1,
        thread_name: null,
        last_error_value: null,
        frame_count: walked.length,
        frames: walked,
        truncated: null,
        ...(incomplete && { incomplete: true }),
      },
    ],
  };
  return findStops(report as unknown as Report);
}

const formatted = (...input: Parameters<typeof stopsOf>) =>
  stopsOf(...input).map(({ module, how, own }) => `${module} ${how}${own ? '' : ' of the system'}`);

describe('findStops', () => {
  it('names a module that the walk ended in, and one after which it guessed, each once', () => {
    assert.deepEqual(formatted(['physics.dll context', 'audio.dll scan', 'physics.dll scan'], { incomplete: true }), [
      'physics.dll stopped',
      'audio.dll guessed',
    ]);
  });

  it('names nothing if the stack ended, or its frames were found reliably', () => {
    assert.deepEqual(formatted(['physics.dll context', 'game.exe cfi', 'physics.dll frame_pointer']), []);
  });

  it('leaves out the first functions of a thread, which are of the system', () => {
    const below = ['game.exe context', 'kernel32.dll cfi', 'ntdll.dll scan'];
    assert.deepEqual(formatted(below, { incomplete: true }), []);
  });

  it('names modules of the system that called the game, or between which the game is not found', () => {
    assert.deepEqual(formatted(['ntdll.dll context', 'game.exe scan']), ['ntdll.dll guessed of the system']);
    assert.deepEqual(formatted(['ntdll.dll context', 'kernel32.dll scan'], { incomplete: true }), [
      'ntdll.dll guessed of the system',
      'kernel32.dll stopped of the system',
    ]);
  });

  it('says how the module is identified', () => {
    const [stop] = stopsOf(['physics.dll context', 'game.exe scan']);
    assert.deepEqual(stop, {
      module: 'physics.dll',
      debug_file: 'physics.pdb',
      debug_id: 'AB1',
      version: '1.2',
      os: 'Windows NT',
      cpu: 'amd64',
      own: true,
      how: 'guessed',
    });
  });

  it('is limited, and skips code without a module', () => {
    const many = Array.from({ length: 60 }, (_, index) => `plugin${index}.dll scan`);
    assert.equal(stopsOf(many).length, MAX_STOPS);
    assert.deepEqual(formatted(['jit context', 'jit scan'], { incomplete: true }), []);
  });
});
