import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MAC_BOOT_ARGS } from './mac-boot-args.ts';

test('reads the boot arguments', () => {
  for (const endian of ['little', 'big'] as const)
    assert.equal(readWritten(MAC_BOOT_ARGS, { endian, mac: { bootArgs: '-v debug=0x14e' } }).stream, '-v debug=0x14e');
});

test('warns about arguments outside the file', () => {
  const { stream, warnings } = readDamaged(MAC_BOOT_ARGS, { mac: { bootArgs: '-v' } }, { at: 8, value: 0xffff_ffff });
  assert.equal(stream, undefined);
  assert.match(warnings.join(), /^MozMacosBootArgsStream: /);
});
