// Tests the labels of frames with and without symbols.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameOf, stackOf } from '../../../test/frame.ts';
import type { Frame } from '../../report.ts';
import type { OsName } from '../../streams/system-info.ts';
import { defaultLists } from '../lists/signature-lists.ts';
import { labelFrames, placeOf } from './label-frames.ts';

function labelOf(fields: Partial<Frame>, os: OsName = 'linux'): string | undefined {
  return labelFrames([frameOf(fields)], os, defaultLists.trim)[0]?.label;
}

describe('labelFrames', () => {
  it('prefers the function', () => {
    assert.equal(labelOf({ function: 'draw(int)', file: '/b/a.cc', line: 3, module: 'game' }), 'draw');
  });

  it('uses file and line if there is no function, without the folders of the build machine', () => {
    assert.equal(labelOf({ file: 'D:\\agent\\work\\draw.cpp', line: 12, module: 'game' }), 'draw.cpp#12');
    assert.equal(labelOf({ file: '/builds/draw.cpp', line: 12 }), 'draw.cpp#12');
  });

  it('uses the module if there is no line, in lower case on Windows', () => {
    assert.equal(labelOf({ file: 'draw.cpp', module: 'Game' }), 'Game');
    assert.equal(labelOf({ module: 'C:\\Windows\\KERNEL32.DLL' }, 'windows'), 'kernel32.dll');
  });

  it('uses the address if there is no module, without leading zeros', () => {
    assert.equal(labelOf({ offset: '0x00000000deadbeef' }), '@0xdeadbeef');
    assert.equal(labelOf({ offset: '0x0000000000000000' }), '@0x0');
  });

  it('ignores an empty function name', () => {
    assert.equal(labelOf({ function: ' \u200b', module: 'game' }), 'game');
  });

  it('keeps the module offset if the label is the module', () => {
    const offsetOf = (fields: Partial<Frame>) =>
      labelFrames(
        [frameOf({ module: 'game', module_offset: '0x0000000000001a2b', ...fields })],
        'linux',
        defaultLists.trim,
      ).map(placeOf)[0];
    assert.equal(offsetOf({}), 'game+0x1a2b');
    assert.equal(offsetOf({ function: 'draw(int)' }), 'draw');
    assert.equal(offsetOf({ function: 'game' }), 'game');
    assert.equal(offsetOf({ file: 'draw.cpp', line: 12 }), 'draw.cpp#12');
    assert.equal(offsetOf({ module_offset: null }), 'game');
    assert.equal(offsetOf({ module: null, module_offset: null, offset: '0x10' }), '@0x10');
  });

  it('ignores an ELF section, which symbol writers note instead of a function name', () => {
    assert.equal(labelOf({ function: '<.text ELF section in game>', module: 'game' }), 'game');
    const [stub] = labelFrames(
      [frameOf({ function: '<.plt ELF section in game>', module: 'game' })],
      'linux',
      (label) => label,
    );
    assert.deepEqual([stub?.label, stub?.hasFunction], ['<.plt ELF section in game>', false]);
  });

  it('puts inlined functions before their frame, innermost first', () => {
    const inlines = ['leaf()', 'branch()'].map((name) => ({ function: name, file: null, line: null }));
    const labels = labelFrames([frameOf({ function: 'tree()', inlines })], 'linux', defaultLists.trim);
    assert.deepEqual(
      labels.map(({ label, index }) => [label, index]),
      [
        ['leaf', 0],
        ['branch', 1],
        ['tree', 2],
      ],
    );
  });

  it('stops at forty labels, including inlined functions', () => {
    const inlines = [{ function: 'inlined', file: null, line: null }];
    const frames = stackOf(...Array.from({ length: 100 }, (_, at) => `f${at}`)).map((frame) => ({ ...frame, inlines }));
    const labels = labelFrames(frames, 'linux', defaultLists.trim);
    assert.equal(labels.length, 40);
    assert.equal(labels.at(-1)?.label, 'f19');
  });

  const TRIMMED: readonly (readonly [string, string])[] = [
    ['__memmove_avx_unaligned_erms', 'memmove'],
    ['__memcpy_evex_unaligned_erms', 'memcpy'],
    ['__strlen_avx2', 'strlen'],
    ['_platform_memmove$VARIANT$Haswell', 'memmove'],
    ['memcpy_repmovs', 'memcpy'],
    ['_VEC_memcpy', 'memcpy'],
    ['__GI___libc_malloc', 'malloc'],
    ['__libc_free', 'free'],
    ['_free_base', 'free'],
    ['je_malloc', 'malloc'],
    ['__GI_raise', 'raise'],
  ];
  for (const [name, label] of TRIMMED) {
    it(`labels \`${name}\` as \`${label}\``, () => assert.equal(labelOf({ function: name }), label));
  }

  const MODULES: readonly (readonly [string, string])[] = [
    ['libc-2.31.so', 'libc.so.6'],
    ['libpthread-2.19.so', 'libpthread.so.0'],
    ['ld-linux-x86-64.so.2', 'ld-linux.so'],
    ['libstdc++.so.6.0.30', 'libstdc++.so.6'],
    ['libnvidia-glcore.so.535.54.03', 'libnvidia-glcore.so'],
    ['libgallium-24.2.8.so', 'libgallium.so'],
    ['libgame.so', 'libgame.so'],
  ];
  for (const [module, label] of MODULES) {
    it(`labels the module ${module} as ${label}`, () => assert.equal(labelOf({ module }), label));
  }
});
