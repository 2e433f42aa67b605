import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { UNLOADED_MODULES } from './unloaded-modules.ts';

test('reads the range, name, checksum and timestamp of unloaded modules, even if they overlap', () => {
  const unloadedModules = [
    { base: 0x7ff9_0f45_0000n, size: 0xea000, name: 'plugin.dll', checksum: 4, timestamp: 5 },
    { base: 0x7ff9_0f45_0000n, size: 0x1000, name: 'other.dll', checksum: 6, timestamp: 7 },
  ];
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(UNLOADED_MODULES, { endian, unloadedModules }), {
      stream: unloadedModules.map(({ name, ...module }) => ({ ...module, codeFile: name })),
      warnings: [],
    });
});
