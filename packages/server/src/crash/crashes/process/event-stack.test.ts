import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MinidumpError } from '@chauffeur/minidump/error';
import { openSymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { MemoryRangeReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import { SymbolCompiler } from '@chauffeur/minidump/symbols/compiler/compiler';
import type { ModuleId, SymbolSource } from '@chauffeur/minidump/symbols/module-symbols';
import { normalizeEvent } from '@chauffeur/sentry/event/normalize';
import { groupReport } from '../groups/grouping.ts';
import { modulesOfEvent, walkEvent } from './event-stack.ts';
import { excerptOf } from './excerpt.ts';

const DEBUG_ID = '0123456789ABCDEF0123456789ABCDEF0';
const SYMBOLS = [
  `MODULE Linux x86_64 ${DEBUG_ID} owls`,
  'FILE 0 /build/src/nest.cc',
  'INLINE_ORIGIN 0 Nest::Slot(int)',
  'FUNC 1000 100 0 Nest::Land(Owl&)',
  'INLINE 0 7 0 0 1030 10',
  '1000 100 42 0',
  'FUNC 1100 100 0 main',
  '1100 100 9 0',
].join('\n');

function compile(text: string) {
  const pieces: Uint8Array[] = [];
  const compiler = new SymbolCompiler({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
  compiler.write(Buffer.from(`${text}\n`));
  compiler.finish();
  return openSymbolCache(new MemoryRangeReader(Buffer.concat(pieces)));
}

const cache = compile(SYMBOLS);
const asked: string[] = [];
const KNOWN: SymbolSource = {
  find: ({ debugId }: ModuleId) => {
    asked.push(debugId);
    return debugId === DEBUG_ID ? cache : undefined;
  },
};
const NONE: SymbolSource = { find: () => undefined };
const NO_RULES = { rules: [], version: 0 };
const FIELDS = { message: '', metadata: {}, appVersion: '1.0', os: 'linux' };

/** A crash in `Nest::Land`, called at the last byte before 0x1108 of `main`, with the binary at `base`. */
function eventAt(base: number, more: object = {}) {
  const at = (offset: number) => `0x${(base + offset).toString(16)}`;
  return normalizeEvent({
    platform: 'native',
    level: 'fatal',
    contexts: { os: { name: 'Linux', version: '6.1' }, device: { arch: 'x86_64' } },
    exception: [
      {
        type: 'SIGSEGV',
        value: 'Segfault',
        mechanism: {
          type: 'signalhandler',
          synthetic: true,
          handled: false,
          meta: { signal: { name: 'SIGSEGV', number: 11 } },
        },
        stacktrace: {
          frames: [
            { instruction_addr: at(0x1200), package: '/opt/owls' },
            { instruction_addr: at(0x1010), package: '/opt/owls' },
          ],
          registers: { rip: at(0x1010) },
        },
      },
    ],
    debug_meta: {
      images: [
        {
          type: 'elf',
          code_file: '/opt/owls',
          image_addr: at(0),
          image_size: 0x5000,
          debug_id: '01234567-89ab-cdef-0123-456789abcdef',
        },
        {
          type: 'elf',
          code_file: '/usr/lib/libc.so.6',
          image_addr: at(0x10000),
          image_size: 0x1000,
          code_id: 'ab'.repeat(20),
        },
      ],
    },
    ...more,
  });
}

const groupOf = (event: ReturnType<typeof eventAt>, symbols: SymbolSource) =>
  groupReport(walkEvent(event, symbols), FIELDS, NO_RULES).grouping;

describe('walkEvent', () => {
  it('names the function of the instruction, and that of the call before each return address', () => {
    const report = walkEvent(eventAt(0x400000), KNOWN);
    const [thread] = report.threads;
    assert.deepEqual(
      thread?.frames.map((frame) => [frame.function, frame.module, frame.line]),
      [
        ['Nest::Land(Owl&)', 'owls', 42],
        ['main', 'owls', 9],
      ],
    );
    assert.equal(report.crash_info.crashing_thread, 0);
  });

  it('has the group of a dump with the same functions, wherever the binary is in memory', () => {
    const one = groupOf(eventAt(0x400000), KNOWN);
    assert.deepEqual(groupOf(eventAt(0x7f12_3456_0000), KNOWN).key, one.key);
    assert.equal(one.title, 'Nest::Land');
    // A dump has the cause of the signal, too, which isn't part of the group.
    const dump = walkEvent(eventAt(0x400000), KNOWN);
    const ofDump = groupReport(
      { ...dump, crash_info: { ...dump.crash_info, type: 'SIGSEGV / SEGV_MAPERR', address: '0x14' } },
      FIELDS,
      NO_RULES,
    );
    assert.deepEqual(ofDump.grouping.key, one.key);
  });

  it('has functions that were inlined', () => {
    const frames = [{ instruction_addr: '0x401035', trust: 'context' }];
    const exception = [{ type: 'SIGSEGV', mechanism: { type: 'signalhandler' }, stacktrace: { frames } }];
    const [thread] = walkEvent(eventAt(0x400000, { exception }), KNOWN).threads;
    assert.deepEqual(
      thread?.frames[0]?.inlines.map((each) => each.function),
      ['Nest::Slot(int)'],
    );
  });

  it('lists the symbols that are missing, as they are found again when they come', () => {
    const event = eventAt(0x400000);
    const walked = walkEvent(event, NONE);
    const report = { ...walked, signature: { signature: '', notes: [] } };
    assert.deepEqual(excerptOf(report).missingSymbols, [`owls/${DEBUG_ID}`]);
    assert.deepEqual(
      walked.modules.map(({ symbols }) => symbols),
      ['missing', 'not_needed'],
    );
    assert.deepEqual(
      modulesOfEvent(event).map(({ debugId }) => debugId),
      [DEBUG_ID],
    );
    assert.match(groupOf(event, NONE).title, /^owls\+0x1010/);
  });

  it('asks for the symbols of a module once, and for none that no frame is in', () => {
    asked.length = 0;
    walkEvent(eventAt(0x400000), KNOWN);
    assert.deepEqual(asked, [DEBUG_ID]);
  });

  it('keeps the names of the client where symbols are missing or damaged', () => {
    const broken: SymbolSource = {
      find: () => {
        throw new MinidumpError('bad-cache', 'damaged');
      },
    };
    const frames = [{ instruction_addr: '0x401010', function: 'hoot', package: '/opt/owls' }];
    const report = walkEvent(eventAt(0x400000, { exception: [{ type: 'SIGSEGV', stacktrace: { frames } }] }), broken);
    assert.equal(report.threads[0]?.frames[0]?.function, 'hoot');
    assert.deepEqual([report.modules[0]?.symbols, report.modules[0]?.symbol_problem], ['corrupt', 'damaged']);
  });

  it('puts the stack of the exception in the place of its thread', () => {
    const threads = [
      { id: 1, name: 'audio', stacktrace: { frames: [{ instruction_addr: '0x401150' }] } },
      { id: 2, name: 'game', crashed: true },
    ];
    const { threads: walked, crash_info: crash } = walkEvent(eventAt(0x400000, { threads }), KNOWN);
    assert.deepEqual(
      walked.map((thread) => [thread.thread_name, thread.frames[0]?.function]),
      [
        ['game', 'Nest::Land(Owl&)'],
        ['audio', 'main'],
      ],
    );
    assert.equal(crash.crashing_thread, 0);
  });

  it('takes addresses that are relative to an image', () => {
    const frames = [{ instruction_addr: '0x1010', addr_mode: 'rel:0', trust: 'context' }];
    const exception = [{ type: 'SIGSEGV', stacktrace: { frames } }];
    assert.equal(
      walkEvent(eventAt(0x400000, { exception }), KNOWN).threads[0]?.frames[0]?.function,
      'Nest::Land(Owl&)',
    );
  });

  it('returns a report for an event without anything', () => {
    const report = walkEvent(normalizeEvent({}), KNOWN);
    assert.deepEqual([report.threads, report.modules, report.crash_info.crashing_thread], [[], [], null]);
  });
});
