// Tests which annotations and messages of a dump become the message and metadata of its report.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CrashpadReport, MacCrashInfoReport } from '@chauffeur/minidump/report';
import { notesOf, notesToAdd } from './dump-notes.ts';

const MODULE = { base_addr: '0x1', end_addr: '0x2', code_id: '', debug_file: '', debug_id: '', version: null };

function notes(crashpad: Partial<CrashpadReport> | null, mac: readonly string[] = [], assertion: string | null = null) {
  const modules = ['game', 'libengine.so'].map((filename) => ({
    ...{ ...MODULE, filename, code_file: filename },
    ...{ symbols: 'missing' as const, symbol_problem: null },
  }));
  const infos = mac.map((message): MacCrashInfoReport => ({ module: 'libc', message, message2: '' }));
  return notesOf({
    crash_info: { type: 'SIGABRT', address: null, crashing_thread: 0, assertion },
    modules,
    main_module: 0,
    crashpad: crashpad && { report_id: '', client_id: '', annotations: {}, modules: [], ...crashpad },
    mac_crash_info: infos,
  });
}

const ofModule = (module: string, annotations: Record<string, string>, list: readonly string[] = []) => ({
  ...{ module, annotations, list },
});

describe('notesOf', () => {
  it('uses the fatal log message first, without its process and time', () => {
    const text = '[4711:1:1126/133441.123456:FATAL:inventory.cc(42)] Check failed: slot < size. ';
    const { message, metadata } = notes({ annotations: { message: 'lost', LOG_FATAL: text, level: '7' } });
    assert.equal(message, 'Check failed: slot < size.');
    assert.deepEqual(metadata, { LOG_FATAL: text.trim(), level: '7' });
  });

  it('reads annotations of the process, then of the executable, then of other modules', () => {
    const modules = [
      ofModule('libengine.so', { gpu: 'engine', scene: 'engine', abort_message: 'FORTIFY: write' }),
      ofModule('game', { gpu: 'game', scene: 'game' }),
    ];
    const { message, metadata } = notes({ annotations: { gpu: 'process' }, modules });
    assert.deepEqual(metadata, { gpu: 'process', scene: 'game', abort_message: 'FORTIFY: write' });
    assert.equal(message, 'FORTIFY: write');
  });

  it("leaves out the reporter's own fields and the server's keys", () => {
    const annotations = {
      prod: 'Game',
      ver: '1',
      plat: 'linux',
      build_id: 'x',
      chauffeur_omitted: 'y',
      level: '7',
      '': 'z',
      empty: ' ',
    };
    assert.deepEqual(notes({ annotations }).metadata, { level: '7' });
  });

  it('uses what libraries of macOS wrote, unless it says nothing', () => {
    assert.equal(
      notes(null, ['abort() called', 'Library not loaded: @rpath/libfoo.dylib']).message,
      'Library not loaded: @rpath/libfoo.dylib',
    );
    const list = ['abort() called', 'Performing @selector(close:)'];
    const { message, metadata } = notes({ modules: [ofModule('AppKit', {}, list)] });
    assert.equal(message, 'Performing @selector(close:)');
    assert.deepEqual(metadata, { system_messages: 'Performing @selector(close:)' });
    assert.deepEqual(notes(null, ['abort() called']), { message: '', metadata: {} });
  });

  it('uses the failed assertion last', () => {
    assert.equal(notes(null, [], 'invalid parameter: size > 0').message, 'invalid parameter: size > 0');
  });

  it('cuts texts that are too long, and removes what a database rejects', () => {
    const { message, metadata } = notes({
      annotations: { LOG_FATAL: `a\u0000b\ud800${'x'.repeat(5000)}`, ['k'.repeat(100)]: 'v' },
    });
    assert.ok(message.startsWith('ab\ufffdx') && message.length === 1024);
    assert.deepEqual(Object.keys(metadata), ['LOG_FATAL', 'k'.repeat(64)]);
    assert.deepEqual(notes({ annotations: JSON.parse('{"__proto__":"x"}') }).metadata, JSON.parse('{"__proto__":"x"}'));
  });

  it('is fast for as many annotations as fit into a dump', () => {
    const annotations = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`key${at}`, 'x'.repeat(50)]));
    const start = process.cpuUsage();
    assert.ok(Object.keys(notes({ annotations }).metadata).length < 300);
    assert.ok(process.cpuUsage(start).user < 1_000_000);
  });
});

describe('notesToAdd', () => {
  const from = (message: string, metadata: Record<string, string>) => ({ message, metadata });

  it('adds what the report does not have', () => {
    assert.deepEqual(
      notesToAdd(from('', { level: '1' }), from('boom', { level: '7', scene: 'menu' })),
      from('boom', { scene: 'menu' }),
    );
    assert.deepEqual(notesToAdd(from('sent', {}), from('boom', { scene: 'menu' })), from('', { scene: 'menu' }));
    assert.equal(notesToAdd(from('sent', { scene: 'menu' }), from('boom', { scene: 'other' })), null);
    assert.equal(notesToAdd(from('', {}), from('', {})), null);
  });

  it('adds no more keys than a report may have, and says so', () => {
    const many = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, 'x']));
    const added = notesToAdd(from('', many(60, 'sent')), from('', many(10, 'noted')))!.metadata;
    assert.deepEqual(Object.keys(added), ['noted0', 'noted1', 'noted2', 'chauffeur_omitted']);
    assert.equal(added.chauffeur_omitted, '7 annotations of the dump were left out.');
  });
});
