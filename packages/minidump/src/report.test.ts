// Validates reports against the published JSON Schema.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/schema';
import schema from '../report.schema.json' with { type: 'json' };
import { CORPUS_MISSING, readCases } from '../test/corpus.ts';
import type { DumpDescription } from '../test/dump-writer/description.ts';
import { SCENE_THREAD, type Scene, walkScene } from '../test/scene.ts';
import { processMinidump } from './process.ts';
import type { Report } from './report.ts';

const validator = Compile(schema);

/** Validates the report, as JSON, and returns the violations of the schema. */
function problemsOf(report: Report): unknown[] {
  const [, errors] = validator.Errors(JSON.parse(JSON.stringify(report)));
  return [...errors];
}

const SCENE: Scene = {
  registers: { rip: 0x401110n, rsp: 0x7fff0000n },
  stack: { at: 0x7fff0000n, words: [0, 0x600010n, 0, 0x401050n, 0] },
  modules: [{ name: '/opt/game/game', base: 0x400000n, symbols: 'FILE 0 main.c\nFUNC 1000 200 0 main\n1000 200 7 0' }],
};

const NESTED = {
  name: 'game',
  base: 0x400000n,
  symbols: [
    'FUNC 1000 200 0 main',
    ...Array.from({ length: 200 }, (_, depth) => `INLINE ${depth} 1 0 0 1000 200`),
  ].join('\n'),
};

describe('the report', () => {
  for (const [content, scene] of [
    ['a crash', SCENE],
    ['a crash on a 32-bit CPU', { ...SCENE, cpu: 'x86', registers: { eip: 0x401110n, esp: 0x7fff0000n } }],
    ['a dump with all attachments', { ...SCENE, more: attachments() }],
    [
      'a dump without system information, threads and modules',
      { ...SCENE, more: { system: undefined, threads: [], modules: [] } },
    ],
    ['a thread that is not walked', { ...SCENE, more: { breakpad: { dumpThreadId: SCENE_THREAD } } }],
    ['a walk that reached a limit', { ...SCENE, limits: { frames: 1 } }],
    ['a walk that filled the report', { ...SCENE, limits: { output: 1 } }],
    ['a frame with too many inlined functions', { ...SCENE, modules: [NESTED] }],
  ] as [string, Scene][]) {
    it(`conforms to its schema for ${content}`, () => assert.deepEqual(problemsOf(walkScene(scene)), []));
  }

  it('conforms to its schema for every dump of the corpus', { skip: CORPUS_MISSING }, () => {
    for (const { name, dump } of readCases()) assert.deepEqual(problemsOf(processMinidump(dump)), [], name);
  });

  it('violates its schema if a field is added or removed', () => {
    const report = walkScene(SCENE);
    assert.notDeepEqual(problemsOf({ ...report, more: 1 } as Report), []);
    assert.notDeepEqual(problemsOf({ ...report, threads: undefined } as unknown as Report), []);
  });

  it('contains the attachments of the dump', () => {
    const report = walkScene({ ...SCENE, more: attachments() });
    assert.equal(report.pid, 4242);
    assert.equal(report.process_uptime, 60);
    assert.equal(report.time, '2026-01-02T03:04:05.000Z');
    assert.equal(report.crash_info.assertion, 'invalid parameter: size > 0 in grow (vector.c:12)');
    assert.deepEqual({ ...report.lsb_release }, { DISTRIB_ID: 'Debian' });
    assert.deepEqual(Object.entries(report.crashpad?.annotations ?? {}), [['__proto__', 'kept']]);
    assert.deepEqual({ ...report.crashpad?.modules[0]?.annotations }, { level: 'crypt', gpu: 'R600' });
    assert.equal(report.handle_count, 2);
    assert.equal(report.threads[0]?.thread_name, 'render');
  });

  it('names the unloaded modules of a frame outside all modules', () => {
    const unloadedModules = [{ base: 0x600000n, size: 0x1000, name: 'plugin.dll' }];
    const frames = walkScene({
      ...SCENE,
      registers: { rip: 0x600010n, rsp: 0x7fff0000n },
      more: { unloadedModules },
    }).threads[0]?.frames;
    assert.deepEqual(frames?.[0]?.unloaded_modules, [{ module: 'plugin.dll', offsets: ['0x0000000000000010'] }]);
  });
});

/** A description of all attachments. JSON.parse creates `__proto__` as an ordinary key. */
function attachments(): Partial<DumpDescription> {
  return {
    timestamp: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000,
    misc: { processId: 4242, processTimes: { create: Date.UTC(2026, 0, 2, 3, 3, 5) / 1000 } },
    threadNames: [{ id: SCENE_THREAD, name: 'render' }],
    assertion: { expression: 'size > 0', function: 'grow', file: 'C:\\build\\vector.c', line: 12, type: 1 },
    linux: { lsbRelease: 'DISTRIB_ID=Debian\n' },
    handles: [{ handle: 4n, typeName: 'File' }, { handle: 8n }],
    mac: { crashInfo: [{ version: 4, numbers: [], texts: ['/usr/lib/libsystem.dylib', 'out of memory'] }] },
    crashpad: {
      reportId: '0'.repeat(32),
      clientId: '1'.repeat(32),
      simpleAnnotations: JSON.parse('{"__proto__": "kept"}') as Record<string, string>,
      modules: [
        {
          moduleIndex: 0,
          listAnnotations: ['abort() called'],
          simpleAnnotations: { level: 'crypt' },
          annotationObjects: [{ name: 'gpu', type: 1, value: 'R600' }],
        },
      ],
    },
  };
}
