import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, Report, Thread } from '@chauffeur/minidump/report';
import { detailOf, threadsOf } from './threads.ts';

const frame = (name: string | null, more: Partial<Frame> = {}): Frame => ({
  frame: 0,
  trust: 'context',
  offset: '0x0000000000401010',
  return_address: '0x0000000000401010',
  module: 'game',
  module_offset: '0x0000000000001010',
  function: name,
  function_offset: '0x0000000000000010',
  file: 'src/a.cc',
  line: 3,
  line_offset: 0,
  inlines: [],
  missing_symbols: false,
  unloaded_modules: [],
  registers: { rsp: '0x000000007fff0000', rip: '0x0000000000401010' },
  ...more,
});
const thread = (id: number, frames: Frame[], more: Partial<Thread> = {}): Thread => ({
  thread_id: id,
  thread_name: null,
  last_error_value: null,
  frame_count: frames.length,
  frames,
  truncated: null,
  ...more,
});
const report = (threads: Thread[], crashing: number | null = 0): Report =>
  ({
    system_info: { os: 'Linux', os_ver: '', cpu_arch: 'amd64', cpu_info: null, cpu_count: 1 },
    crash_info: { type: null, address: null, crashing_thread: crashing, assertion: null },
    main_module: 0,
    modules: [
      { base_addr: '0x0000000000400000', end_addr: '0x0000000000410000', filename: 'game', code_file: '/opt/game' },
      {
        base_addr: '0x0000000000500000',
        end_addr: '0x0000000000510000',
        filename: 'libc.so.6',
        code_file: '/lib/libc.so.6',
      },
    ],
    threads,
  }) as unknown as Report;
const ALL = { first: 0, frames: 1000, words: 0 };

describe('the list of threads', () => {
  it('begins with the crashed thread, and says which ones wait', () => {
    const waits = [frame('poll', { module: 'libc.so.6' }), frame('Jobs::run')];
    const { threads } = threadsOf(
      report([thread(1, waits), thread(2, [frame('draw')]), thread(3, [frame(null)]), thread(4, [])], 1),
      9,
    );
    assert.deepEqual(
      threads.map(({ thread: index, thread_id, state, frame: first }) => [index, thread_id, state, first?.function]),
      [
        [1, 2, 'crashed', 'draw'],
        [0, 1, 'waiting', 'Jobs::run'],
        [2, 3, 'unknown', null],
        [3, 4, 'unknown', undefined],
      ],
    );
  });

  it('is limited', () => {
    const many = Array.from({ length: 600 }, (_, id) => thread(id, [frame('a')]));
    const { threads, more_threads } = threadsOf(report(many, 599), 512);
    assert.deepEqual([threads.length, threads[0]?.thread, more_threads], [512, 599, 88]);
  });
});

describe('a thread', () => {
  const inlined = frame('outer', { inlines: [{ function: 'inner', file: null, line: null }] });

  it('has its functions in pages that leave out none', () => {
    const whole = report([thread(1, [inlined, frame('main'), inlined])]);
    const names = (first: number, frames: number) => {
      const detail = detailOf(whole, 0, { first, frames, words: 0 });
      return [detail?.frames.map(({ function: name }) => name), detail?.more_frames];
    };
    assert.deepEqual(names(0, 2), [['inner', 'outer'], 3]);
    assert.deepEqual(names(1, 2), [['outer', 'main'], 2]);
    assert.deepEqual(names(3, 9), [['inner', 'outer'], 0]);
    assert.deepEqual(names(9, 9), [[], 0]);
  });

  it('is null if there is none', () => assert.equal(detailOf(report([]), 0, ALL), null));

  it('has words with the functions and modules that they point to', () => {
    const words = [0x401020n, 0x500004n, 7n].map((word) => word.toString(16).padStart(16, '0')).join('');
    const stack = {
      start: '0x000000007ffeff80',
      word_size: 8 as const,
      words,
      symbols: [{ word: 0, function: 'draw', function_offset: '0x0000000000000020' }],
    };
    const detail = detailOf(report([thread(1, [frame('draw')], { stack })]), 0, { ...ALL, words: 2 });
    assert.equal(detail?.memory?.stack_pointer, '0x000000007fff0000');
    assert.deepEqual(detail.memory.words, [
      { address: '0x000000007ffeff80', value: '0x0000000000401020', points_to: 'game!draw + 0x20' },
      { address: '0x000000007ffeff88', value: '0x0000000000500004', points_to: 'libc.so.6 + 0x4' },
    ]);
    assert.deepEqual(Object.keys(detail.registers), ['rsp', 'rip']);
  });

  it('says why it has no memory', () => {
    const problemOf = (more: Partial<Thread>, words = 8) =>
      detailOf(report([thread(1, [], more)]), 0, { ...ALL, words })?.memory_problem;
    assert.equal(problemOf({}), 'reprocess');
    assert.equal(problemOf({ stack: null }), 'not_in_dump');
    assert.equal(problemOf({ stack: null }, 0), null);
  });
});
