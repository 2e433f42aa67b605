import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, Report, Thread } from '@chauffeur/minidump/report';
import { STACK_LIMITS, stackOf } from './stacks.ts';

function frame(index: number, inlines: number): Frame {
  return {
    frame: index,
    trust: 'cfi',
    offset: '0x0000000000401010',
    return_address: '0x0000000000401011',
    module: 'game',
    module_offset: '0x0000000000001010',
    function: `f${index}`,
    function_offset: null,
    file: 'src/game.cc',
    line: 3,
    line_offset: 0,
    inlines: Array.from({ length: inlines }, (_, at) => ({ function: `in${at}`, file: 'src/in.h', line: at })),
    missing_symbols: false,
    unloaded_modules: [],
    registers: { rip: '0x0000000000401010' },
  };
}

function thread(id: number, frames: number, inlines = 0): Thread {
  const threadFrames = Array.from({ length: frames }, (_, index) => frame(index, inlines));
  const facts = { thread_name: `worker \u202e${id}`, last_error_value: null, truncated: null };
  return { thread_id: id, ...facts, frame_count: frames, frames: threadFrames };
}

function reportOf(threads: readonly Thread[], crashing: number | null = 0): Report {
  return {
    schema: 1,
    time: '2026-11-21T12:00:00Z',
    pid: 7,
    process_uptime: 60,
    system_info: { os: 'Linux', os_ver: '6.1', cpu_arch: 'amd64', cpu_info: null, cpu_count: 2 },
    crash_info: { type: 'SIGSEGV', address: '0x0000000000000014', crashing_thread: crashing, assertion: null },
    signature: { signature: 'f0', notes: [] },
    main_module: 0,
    modules: ['not_needed', 'loaded', 'missing'].map((symbols, index) => ({
      base_addr: '0x0000000000400000',
      end_addr: '0x0000000000500000',
      filename: `m${index}`,
      code_file: `/opt/m${index}`,
      code_id: '',
      debug_file: `m${index}`,
      debug_id: 'A0',
      version: null,
      symbols: symbols as 'loaded',
      symbol_problem: null,
    })),
    unloaded_modules: [],
    threads,
    crashpad: null,
    mac_crash_info: [],
    lsb_release: null,
    handle_count: null,
    memory_map_count: null,
    warnings: [],
  };
}

describe('stackOf', () => {
  it('has inlined functions first, and the number of frames left out', () => {
    const { crashed } = stackOf(reportOf([thread(1, 700, 1)]));
    assert.equal(crashed?.frames.length, STACK_LIMITS.crashedFrames);
    assert.equal(crashed?.more_frames, 400);
    assert.deepEqual(
      crashed?.frames.slice(0, 3).map((place) => [place.function, place.inlined, place.file, place.line]),
      [
        ['in0', true, 'src/in.h', 0],
        ['f0', false, 'src/game.cc', 3],
        ['in0', true, 'src/in.h', 0],
      ],
    );
  });

  it('shortens other threads, and has the number of threads left out', () => {
    const many = Array.from({ length: 150 }, (_, id) => thread(id, 40));
    const stack = stackOf(reportOf(many, 3));
    assert.deepEqual(
      [stack.crashed?.thread_id, stack.threads.length, stack.more_threads],
      [3, STACK_LIMITS.threads, 49],
    );
    assert.ok(stack.threads.every(({ thread_id }) => thread_id !== 3));
    assert.deepEqual([stack.threads[0]?.frames.length, stack.threads[0]?.more_frames], [STACK_LIMITS.frames, 10]);
  });

  it('has modules with missing symbols first, and unused ones last', () => {
    assert.deepEqual(
      stackOf(reportOf([])).modules.map(({ symbols }) => symbols),
      ['missing', 'loaded', 'not_needed'],
    );
  });

  it('has no crashed thread or registers if the dump does not say which it was', () => {
    const stack = stackOf(reportOf([thread(1, 2)], null));
    assert.deepEqual([stack.crashed, stack.registers, stack.threads.length], [null, {}, 1]);
  });

  it('makes all text printable', () => {
    assert.equal(stackOf(reportOf([thread(1, 1)])).crashed?.name, 'worker 1');
  });
});
