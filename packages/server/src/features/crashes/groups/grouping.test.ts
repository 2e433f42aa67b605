import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Frame, Report, Trust } from '@chauffeur/minidump/report';
import { groupByMessage, groupReport } from './grouping.ts';

const SAID_NOTHING = { message: '', appVersion: '1.0.0', os: 'linux' };

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
  return groupReport(reportOf(frames, type), SAID_NOTHING);
}

describe('groupReport', () => {
  it('groups by the class of the reason and the signature of the crashed thread', () => {
    const one = group([frame('Pool::Take(int)'), frame('main')]);
    assert.deepEqual([one.kind, one.title, one.reason], ['stack', 'Pool::Take', 'SIGSEGV / SEGV_MAPERR']);
    assert.deepEqual(group([frame('Pool::Take(long)'), frame('other')]).key, one.key);
    assert.notDeepEqual(group([frame('Pool::Give(int)'), frame('main')]).key, one.key);
    assert.notDeepEqual(group([frame('Pool::Take(int)')], 'SIGFPE / FPE_INTDIV').key, one.key);
  });

  it('takes reasons that differ in their details for one', () => {
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
    const sure = [frame('memcpy', 'context'), frame('Pool::Take(int)')];
    const alone = group([...sure, frame('main', 'scan')]);
    assert.deepEqual(group([...sure, frame('Stale::Call()', 'scan'), frame('x')]).key, alone.key);
    assert.deepEqual(group(sure).key, alone.key);
    assert.ok(alone.explanation.includes('frames: the 2 reliable frames count, the 1 guessed ones do not'));
  });

  it('takes a guess where nothing found for sure has a name', () => {
    const guessed = group([frame(null, 'context', 'libc.so.6'), frame('Game::Tick()', 'scan')]);
    assert.equal(guessed.title, 'Game::Tick');
    assert.ok(guessed.explanation.some((line) => line.includes('all frames with a name count')));
  });

  it('goes by module and offset of what was found for sure where nothing has a name', () => {
    const sure = [frame(null, 'context')];
    assert.deepEqual(group([...sure, frame(null, 'scan', 'libstale.so')]).key, group(sure).key);
    assert.equal(group(sure).title, 'game+0x1000');
    const elsewhere = group([{ ...frame(null, 'context'), module_offset: '0x0000000000001040' }]);
    assert.equal(elsewhere.title, 'game+0x1040');
    assert.notDeepEqual(elsewhere.key, group(sure).key);
  });

  it('tells aborts of 32-bit Linux games apart when neither libc nor the game has symbols', () => {
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
    assert.ok(abortAt('0x0000081e').explanation.some((line) => line.includes('up to the first that is')));
  });

  it('takes the names that a stripped libc gives for less than guesses in the game', () => {
    const frames = [
      frame(null, 'context', 'linux-gate.so'),
      frame('pthread_key_delete', 'scan', 'libc.so.6'),
      frame('abort', 'cfi', 'libc.so.6'),
      frame(null, 'cfi', 'game'),
    ];
    assert.equal(group(frames, 'SIGABRT / SI_TKILL').title, 'game+0x1000');
  });

  it('does not take a section of an ELF file for a function', () => {
    const frames = [frame('<.text ELF section in game>', 'context'), frame('World::Tick(float)', 'scan')];
    assert.equal(group(frames).title, 'World::Tick');
  });

  it('goes by the message where the dump has no stack', () => {
    const statement = { ...SAID_NOTHING, message: 'Out of memory' };
    assert.deepEqual(groupReport(reportOf([]), statement), groupByMessage(statement));
    assert.deepEqual(groupReport(reportOf(null), statement), groupByMessage(statement));
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
  const statement = { message: 'index 7 of 3 in /home/ann/level.dat', appVersion: '1.0.0', os: 'linux' };

  it('leaves out what differs each time', () => {
    const other = { ...statement, message: 'index 9 of 12 in /home/bob/level.dat' };
    assert.deepEqual(groupByMessage(other).key, groupByMessage(statement).key);
  });

  it('tells versions and systems apart', () => {
    const { key } = groupByMessage(statement);
    assert.notDeepEqual(groupByMessage({ ...statement, appVersion: '1.0.1' }).key, key);
    assert.notDeepEqual(groupByMessage({ ...statement, os: 'windows' }).key, key);
  });

  it('shows no name of a home folder', () => {
    const { title, explanation } = groupByMessage({ ...statement, message: 'cannot write /home/ann/save' });
    assert.equal(title, 'cannot write /home/<user>/save');
    assert.ok(!explanation.join('\n').includes('ann/'));
  });

  it('has a group for those that say nothing', () => {
    const silent = groupByMessage({ ...statement, message: ' \u0000\n' });
    assert.equal(silent.title, 'Neither a stack nor a message');
    assert.deepEqual(groupByMessage({ ...statement, message: '' }).key, silent.key);
  });
});
