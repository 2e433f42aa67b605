import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CrashpadDescription } from '../../test/dump-writer/description.ts';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { Minidump } from '../minidump.ts';
import { CRASHPAD_INFO } from './crashpad-info.ts';

const crashpad = {
  reportId: '72A658A6728910488A41517BD0BA216B',
  clientId: '581A4105AED73C4C882ECD6380D95137',
  simpleAnnotations: { product: 'Game', version: '1.2.3' },
  modules: [
    {
      moduleIndex: 3,
      listAnnotations: ['first', 'second'],
      simpleAnnotations: { level: 'dungeon' },
      annotationObjects: [
        { name: 'gpu', type: 1, value: 'fast one' },
        { name: 'raw', type: 0x8001, value: 'only for the program' },
      ],
    },
  ],
} satisfies CrashpadDescription;

test('reads the ids and the annotations of the process and its modules in both byte orders', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(CRASHPAD_INFO, { endian, crashpad }), {
      stream: {
        version: 1,
        reportId: crashpad.reportId,
        clientId: crashpad.clientId,
        simpleAnnotations: new Map([
          ['product', 'Game'],
          ['version', '1.2.3'],
        ]),
        modules: [
          {
            moduleIndex: 3,
            listAnnotations: ['first', 'second'],
            simpleAnnotations: new Map([['level', 'dungeon']]),
            annotationObjects: [
              { name: 'gpu', type: 1, value: 'fast one' },
              { name: 'raw', type: 0x8001, value: undefined },
            ],
          },
        ],
      },
      warnings: [],
    });
});

test('returns empty values for missing parts', () => {
  const { stream, warnings } = readWritten(CRASHPAD_INFO, { crashpad: { modules: [{ moduleIndex: 0 }] } });
  assert.deepEqual(stream?.simpleAnnotations, new Map());
  assert.deepEqual(stream?.modules, [
    { moduleIndex: 0, listAnnotations: [], simpleAnnotations: new Map(), annotationObjects: [] },
  ]);
  assert.deepEqual(warnings, []);
});

test('warns about annotations outside the file, and reads the modules', () => {
  const { stream, warnings } = readDamaged(CRASHPAD_INFO, { crashpad }, { at: 36 + 4, value: 0xffff_fff0 });
  assert.deepEqual(stream?.simpleAnnotations, new Map());
  assert.equal(stream?.modules.length, 1);
  assert.match(warnings.join(), /^CrashpadInfoStream: the annotations cannot be read/);
});

test('warns about an unreadable annotation, and reads the others', () => {
  const file = writeDump({ crashpad });
  const view = new DataView(file.buffer);
  const stream = new Minidump(file).directory[0]!.rva;
  const dictionary = view.getUint32(stream + 36 + 4, true);
  view.setUint32(dictionary + 4 + 4, 0xffff_fff0, true);
  const dump = new Minidump(file);
  assert.deepEqual(dump.stream(CRASHPAD_INFO)?.simpleAnnotations, new Map([['version', '1.2.3']]));
  assert.deepEqual(dump.warnings, ['CrashpadInfoStream: one of the annotations cannot be read']);
});

test('warns about an annotation object with an unreadable name, and reads the others', () => {
  const file = writeDump({ crashpad });
  const view = new DataView(file.buffer);
  const links = view.getUint32(new Minidump(file).directory[0]!.rva + 36 + 8 + 4, true);
  const module = view.getUint32(links + 4 + 8, true);
  const objects = view.getUint32(module + 4 + 16 + 4, true);
  view.setUint32(objects + 4, 0xffff_fff0, true);
  const dump = new Minidump(file);
  assert.deepEqual(dump.stream(CRASHPAD_INFO)?.modules[0]?.annotationObjects, [
    { name: 'raw', type: 0x8001, value: undefined },
  ]);
  assert.deepEqual(dump.warnings, ['CrashpadInfoStream: one of the annotation objects of module 3 cannot be read']);
});

test('reads modules from older versions of Crashpad, without annotation objects', () => {
  for (const size of [20, 27]) {
    const file = writeDump({ crashpad });
    const view = new DataView(file.buffer);
    const links = view.getUint32(new Minidump(file).directory[0]!.rva + 36 + 8 + 4, true);
    view.setUint32(links + 4 + 4, size, true);
    const dump = new Minidump(file);
    assert.deepEqual(dump.stream(CRASHPAD_INFO)?.modules, [
      {
        moduleIndex: 3,
        listAnnotations: ['first', 'second'],
        simpleAnnotations: new Map([['level', 'dungeon']]),
        annotationObjects: [],
      },
    ]);
    assert.deepEqual(dump.warnings, []);
  }
});

test('warns about a module whose structure is too short', () => {
  const file = writeDump({ crashpad });
  const view = new DataView(file.buffer);
  const links = view.getUint32(new Minidump(file).directory[0]!.rva + 36 + 8 + 4, true);
  view.setUint32(links + 4 + 4, 19, true);
  const dump = new Minidump(file);
  assert.deepEqual(dump.stream(CRASHPAD_INFO)?.modules, []);
  assert.deepEqual(dump.warnings, ['CrashpadInfoStream: module 3 cannot be read']);
});

// 2,000 modules that point to the same list of 2,000 empty texts would result in 4 million texts.
test('limits the total size of lists that many modules share', () => {
  const count = 2000;
  const listAnnotations = Array.from({ length: count }, () => '');
  const modules = Array.from({ length: count }, (_, moduleIndex) => ({ moduleIndex }));
  const file = writeDump({ crashpad: { modules: [{ moduleIndex: 0, listAnnotations }, ...modules] } });
  const view = new DataView(file.buffer);
  const stream = new Minidump(file).directory[0]!.rva;
  const links = view.getUint32(stream + 36 + 8 + 4, true);
  for (let index = 1; index <= count; index += 1) {
    view.setUint32(links + 4 + index * 12 + 8, view.getUint32(links + 4 + 8, true), true);
  }
  const read = new Minidump(file).stream(CRASHPAD_INFO)?.modules ?? [];
  const texts = read.reduce((sum, module) => sum + module.listAnnotations.length, 0);
  assert.ok(texts >= count && texts * 4 <= 2 * file.length, `${texts} texts`);
});
