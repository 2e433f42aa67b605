import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, Report, Trust } from '@chauffeur/minidump/report';
import { groupByMessage, groupReport } from './grouping.ts';

const NO_RULES = { rules: [], version: 0 };
const NO_MESSAGE = { message: '', metadata: {}, appVersion: '1.0.0', os: 'linux' };

/** A frame of the game: `name` null where its symbols are missing. */
function frame(name: string | null, trust: Trust = 'cfi', module = 'game'): Frame {
  return {
    frame: 0,
    trust,
    offset: '0x0000000000001000',
    return_address: '0x0000000000001001',
    module,
    module_offset: '0x0000000000001000',
    function: name,
    function_offset: null,
    file: null,
    line: null,
    line_offset: null,
    inlines: [],
    missing_symbols: name === null,
    unloaded_modules: [],
    registers: {},
  };
}

function reportOf(frames: readonly Frame[] | null, type: string | null = 'SIGSEGV / SEGV_MAPERR') {
  const threads: Report['threads'] =
    frames === null
      ? []
      : [
          {
            thread_id: 1,
            thread_name: null,
            last_error_value: null,
            frame_count: frames.length,
            frames,
            truncated: null,
          },
        ];
  return {
    threads,
    crash_info: { type, address: '0x0000000000000014', crashing_thread: frames === null ? null : 0, assertion: null },
    system_info: { os: 'Linux', os_ver: '', cpu_arch: 'amd64', cpu_info: null, cpu_count: 1 },
    modules: [],
    main_module: null,
  };
}

function group(frames: readonly Frame[] | null, type?: string | null) {
  return groupReport(reportOf(frames, type), NO_MESSAGE, NO_RULES).grouping;
}

describe('groupReport', () => {
  it('groups by the class of the reason and the signature of the crashed thread', () => {
    const one = group([frame('Pool::Take(int)'), frame('main')]);
    assert.deepEqual([one.kind, one.title, one.reason], ['stack', 'Pool::Take', 'SIGSEGV / SEGV_MAPERR']);
    assert.deepEqual(group([frame('Pool::Take(long)'), frame('other')]).key, one.key);
    assert.notDeepEqual(group([frame('Pool::Give(int)'), frame('main')]).key, one.key);
    assert.notDeepEqual(group([frame('Pool::Take(int)')], 'SIGFPE / FPE_INTDIV').key, one.key);
  });

  it('ignores details of the reason', () => {
    const frames = [frame('Pool::Take(int)')];
    assert.deepEqual(group(frames, 'SIGSEGV / SEGV_ACCERR').key, group(frames, 'SIGSEGV / SEGV_MAPERR').key);
    const read = group(frames, 'EXCEPTION_ACCESS_VIOLATION_READ');
    assert.deepEqual(group(frames, 'EXCEPTION_ACCESS_VIOLATION_WRITE').key, read.key);
    assert.equal(read.reason, 'EXCEPTION_ACCESS_VIOLATION_READ');
    assert.ok(
      read.explanation[0]?.includes('EXCEPTION_ACCESS_VIOLATION, the class of EXCEPTION_ACCESS_VIOLATION_READ'),
    );
  });

  it('does not let guessed frames change the group', () => {
    const reliable = [frame('memcpy', 'context'), frame('Pool::Take(int)')];
    const withOneGuess = group([...reliable, frame('main', 'scan')]);
    assert.deepEqual(group([...reliable, frame('Stale::Call()', 'scan'), frame('x')]).key, withOneGuess.key);
    assert.deepEqual(group(reliable).key, withOneGuess.key);
    assert.ok(withOneGuess.explanation.includes('frames: used 2 reliable, ignored 1 guessed'));
  });

  it('uses guessed frames if no reliable frame has a name', () => {
    const guessed = group([frame(null, 'context', 'libc.so.6'), frame('Game::Tick()', 'scan')]);
    assert.equal(guessed.title, 'Game::Tick');
    assert.ok(guessed.explanation.some((line) => line.includes('used all frames with a name')));
  });

  it('uses modules and offsets of reliable frames if no frame has a name', () => {
    const reliable = [frame(null, 'context')];
    assert.deepEqual(group([...reliable, frame(null, 'scan', 'libstale.so')]).key, group(reliable).key);
    assert.equal(group(reliable).title, 'game+0x1000');
    const otherOffset = group([{ ...frame(null, 'context'), module_offset: '0x0000000000001040' }]);
    assert.equal(otherOffset.title, 'game+0x1040');
    assert.notDeepEqual(otherOffset.key, group(reliable).key);
  });

  it('distinguishes aborts of 32-bit Linux games without symbols of libc and the game', () => {
    const abortAt = (offset: string) =>
      group(
        [
          frame(null, 'context', 'linux-gate.so'),
          frame(null, 'leaf', 'libc.so.6'),
          frame(null, 'scan', 'libc.so.6'),
          { ...frame(null, 'scan'), module_offset: offset },
          frame(null, 'scan', 'libstale.so'),
        ],
        'SIGABRT / SI_TKILL',
      );
    assert.equal(abortAt('0x0000081e').title, 'game+0x81e');
    assert.notDeepEqual(abortAt('0x0000081e').key, abortAt('0x00000a00').key);
    assert.ok(abortAt('0x0000081e').explanation.some((line) => line.includes('the first guessed frame that is')));
  });

  it('prefers guessed frames of the game to names from a stripped libc', () => {
    const frames = [
      frame(null, 'context', 'linux-gate.so'),
      frame('pthread_key_delete', 'scan', 'libc.so.6'),
      frame('abort', 'cfi', 'libc.so.6'),
      frame(null, 'cfi', 'game'),
    ];
    assert.equal(group(frames, 'SIGABRT / SI_TKILL').title, 'game+0x1000');
  });

  it('adds a guessed frame of the game if all reliable names are those of a system library', () => {
    const under = (name: string) => [
      frame('memcpy', 'context', 'libc.so.6'),
      frame(null, 'scan', 'libstale.so.6'),
      frame(name, 'scan'),
      frame('main', 'scan'),
    ];
    assert.equal(group(under('World::Tick(float)')).title, 'memcpy | World::Tick');
    assert.equal(group(under('World::Draw()')).title, 'memcpy | World::Draw');
    assert.equal(group([frame('memcpy', 'context', 'libc.so.6'), frame(null, 'scan', 'libc.so.6')]).title, 'memcpy');
  });

  it('knows the libraries of the system by their folders', () => {
    const module = (code_file: string, filename: string) => ({
      ...{ base_addr: '0x1', end_addr: '0x2', code_id: '', debug_file: '', debug_id: '', version: null },
      ...{ filename, code_file, symbols: 'missing' as const, symbol_problem: null },
    });
    const on = (folder: string, offset: string) => {
      const frames = [{ ...frame(null, 'context', 'libfx.so'), module_offset: offset }, frame('World::Tick(float)')];
      const modules = [module('/data/app/game/libgame.so', 'game'), module(`${folder}/libfx.so`, 'libfx.so')];
      const report = { ...reportOf(frames), modules, system_info: { ...reportOf(frames).system_info, os: 'Android' } };
      return groupReport(report, NO_MESSAGE, NO_RULES).grouping.title;
    };
    assert.equal(on('/vendor/lib64', '0x10'), 'libfx.so | World::Tick');
    assert.equal(on('/odm/lib64', '0x99'), 'libfx.so | World::Tick');
    assert.equal(on('/data/app/game', '0x10'), 'libfx.so+0x10');
  });

  it('does not use sections of ELF files as functions', () => {
    const frames = [frame('<.text ELF section in game>', 'context'), frame('World::Tick(float)', 'scan')];
    assert.equal(group(frames).title, 'World::Tick');
  });

  it('groups by message if the dump has no stack', () => {
    const fields = { ...NO_MESSAGE, message: 'Out of memory' };
    const byMessage = { ...groupByMessage(fields), rulesVersion: 0 };
    assert.deepEqual(groupReport(reportOf([]), fields, NO_RULES).grouping, byMessage);
    assert.deepEqual(groupReport(reportOf(null), fields, NO_RULES).grouping, byMessage);
    assert.equal(group(null).kind, 'stack');
  });

  it('explains each decision of the signature', () => {
    const { explanation } = group([frame('memcpy'), frame('Pool::Take(int)')]);
    assert.ok(
      explanation.some((line) => /^stack: .*Pool::Take/.test(line)),
      explanation.join('\n'),
    );
  });
});

describe('groupByMessage', () => {
  const fields = { message: 'index 7 of 3 in /home/ann/level.dat', appVersion: '1.0.0', os: 'linux' };

  it('ignores parts that differ between reports', () => {
    const other = { ...fields, message: 'index 9 of 12 in /home/bob/level.dat' };
    assert.deepEqual(groupByMessage(other).key, groupByMessage(fields).key);
  });

  it('distinguishes versions and operating systems', () => {
    const { key } = groupByMessage(fields);
    assert.notDeepEqual(groupByMessage({ ...fields, appVersion: '1.0.1' }).key, key);
    assert.notDeepEqual(groupByMessage({ ...fields, os: 'windows' }).key, key);
  });

  it('does not contain names of home folders', () => {
    const { title, explanation } = groupByMessage({ ...fields, message: 'cannot write /home/ann/save' });
    assert.equal(title, 'cannot write /home/<user>/save');
    assert.ok(!explanation.join('\n').includes('ann/'));
  });

  it('has one group for reports without a message', () => {
    const withoutText = groupByMessage({ ...fields, message: ' \u0000\n' });
    assert.equal(withoutText.title, 'No stack or message');
    assert.deepEqual(groupByMessage({ ...fields, message: '' }).key, withoutText.key);
  });
});
