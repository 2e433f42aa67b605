import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, ModuleReport, Report } from '@chauffeur/minidump/report';
import { withoutPrivatePaths } from '../report/paths.ts';
import { EXCERPT_LIMITS, excerptOf } from './excerpt.ts';

const FRAME: Frame = {
  frame: 0,
  trust: 'context',
  offset: '0x0000000000401014',
  return_address: '0x0000000000401014',
  module: 'game',
  module_offset: '0x0000000000001014',
  function: 'Game::Tick()',
  function_offset: '0x0000000000000004',
  file: '/home/ann/game/src/game.cc',
  line: 12,
  line_offset: 0,
  inlines: [],
  missing_symbols: false,
  unloaded_modules: [],
  registers: {},
};

const MODULE: ModuleReport = {
  base_addr: '0x0000000000400000',
  end_addr: '0x0000000000500000',
  filename: 'game',
  code_file: '/home/ann/.steam/game',
  code_id: '',
  debug_file: 'game',
  debug_id: 'AB0',
  version: null,
  symbols: 'loaded',
  symbol_problem: null,
};

function reportOf({
  frames = [FRAME],
  modules = [MODULE],
  ...rest
}: Partial<Report> & { frames?: Frame[] } = {}): Report {
  const thread = { thread_id: 1, thread_name: null, last_error_value: null, frame_count: 1, truncated: null };
  return {
    schema: 1,
    time: '2026-01-01T00:00:00.000Z',
    pid: null,
    process_uptime: null,
    system_info: { os: 'Linux', os_ver: '', cpu_arch: 'amd64', cpu_info: null, cpu_count: 1 },
    crash_info: { type: 'SIGSEGV', address: '0x0000000000000014', crashing_thread: 1, assertion: null },
    signature: { signature: 'Game::Tick', notes: [] },
    main_module: 0,
    modules,
    unloaded_modules: [],
    threads: [
      { ...thread, frames: [{ ...FRAME, function: 'Other::Wait()' }] },
      { ...thread, frames },
    ],
    crashpad: null,
    mac_crash_info: [],
    lsb_release: null,
    handle_count: null,
    memory_map_count: null,
    warnings: [],
    ...rest,
  };
}

describe('excerptOf', () => {
  it('has the functions of the crashed thread, inlined functions first', () => {
    const inlines = [{ function: 'Vector::At()', file: 'vector.h', line: 3 }];
    const { frames, functions, crashAddress } = excerptOf(reportOf({ frames: [{ ...FRAME, inlines }, FRAME] }));
    const place = { module: 'game', offset: '0x1014', trust: 'context' };
    assert.deepEqual(frames[0], { function: 'Vector::At()', file: 'vector.h', line: 3, ...place, inlined: true });
    assert.deepEqual([frames[1]?.function, frames[1]?.inlined], ['Game::Tick()', false]);
    assert.deepEqual(functions, ['Vector::At()', 'Game::Tick()']);
    assert.equal(crashAddress, '0x14');
  });

  it('has modules with a debug id whose symbols are missing or unreadable', () => {
    const modules: ModuleReport[] = [
      MODULE,
      { ...MODULE, debug_file: 'libc.so.6', symbols: 'missing' },
      { ...MODULE, debug_file: 'libbad.so', symbols: 'corrupt' },
      { ...MODULE, debug_file: 'idle.so', symbols: 'not_needed' },
      { ...MODULE, debug_file: 'nameless', debug_id: '', symbols: 'missing' },
    ];
    assert.deepEqual(excerptOf(reportOf({ modules })).missingSymbols, ['libc.so.6/AB0', 'libbad.so/AB0']);
  });

  it('is limited in size, and contains only text that the database accepts', () => {
    const frames = Array.from({ length: 5000 }, (_, index) => ({
      ...FRAME,
      function: `\u0000\ud800f${index}${'\u4e00'.repeat(3000)}`,
      module: 'game\u0000',
    }));
    const modules = Array.from({ length: 5000 }, (_, index) => ({
      ...MODULE,
      debug_file: `${index}\u0000`,
      symbols: 'missing' as const,
    }));
    const excerpt = excerptOf(reportOf({ frames, modules }));
    assert.deepEqual(
      [excerpt.frames.length, excerpt.functions.length, excerpt.missingSymbols.length],
      [EXCERPT_LIMITS.frames, EXCERPT_LIMITS.functions, EXCERPT_LIMITS.missing],
    );
    const text = JSON.stringify(excerpt);
    assert.ok(!/\\u0000|\\ud800/.test(text));
    assert.ok(excerpt.functions.every((name) => Buffer.byteLength(name) < 2700));
  });

  it('is empty if the dump does not say which thread crashed', () => {
    const crash_info = { type: null, address: null, crashing_thread: null, assertion: null };
    const { frames, functions, crashAddress } = excerptOf(reportOf({ crash_info }));
    assert.deepEqual([frames, functions, crashAddress], [[], [], null]);
  });
});

describe('withoutPrivatePaths', () => {
  it('replaces names of home folders in all paths, and shortens source paths', () => {
    const annotations = { save: 'C:\\Users\\ann\\save', ann: 'no path' };
    const report = withoutPrivatePaths(
      reportOf({
        frames: [{ ...FRAME, inlines: [{ function: 'f', file: 'C:\\Users\\ann\\game\\src\\f.h', line: 1 }] }],
        crash_info: { type: null, address: null, crashing_thread: 1, assertion: '/home/ann/game/x.cc:1: failed' },
        crashpad: {
          report_id: '',
          client_id: '',
          annotations,
          modules: [{ module: '/home/ann/game', annotations: { a: '/home/ann/a' }, list: ['/home/ann/b'] }],
        },
        mac_crash_info: [{ module: '/Users/ann/lib', message: 'dyld: /Users/ann/x', message2: '' }],
        warnings: ['/home/ann/.steam/game: no place for a module'],
      }),
    );
    const { ann, ...others } = report.crashpad?.annotations ?? {};
    assert.deepEqual([ann, others], ['no path', { save: 'C:\\Users\\<user>\\save' }]);
    assert.ok(!/[\\/]ann\b/.test(JSON.stringify({ ...report, crashpad: { ...report.crashpad, annotations: others } })));
    const [, crashed] = report.threads;
    assert.deepEqual(
      [crashed?.frames[0]?.file, crashed?.frames[0]?.inlines[0]?.file],
      ['game/src/game.cc', 'game/src/f.h'],
    );
  });
});
