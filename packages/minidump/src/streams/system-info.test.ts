import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SystemDescription } from '../../test/dump-writer/description.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { SYSTEM_INFO, type SystemInfo } from './system-info.ts';

function read(system: SystemDescription, endian: 'little' | 'big' = 'little'): SystemInfo {
  const { stream, warnings } = readWritten(SYSTEM_INFO, { endian, system });
  assert.deepEqual(warnings, []);
  return stream!;
}

for (const endian of ['little', 'big'] as const) {
  test(`reads the operating system and the CPU in a ${endian}-endian dump`, () => {
    const system: SystemDescription = {
      processorArchitecture: 9,
      level: 6,
      revision: 0x8c01,
      cpuCount: 8,
      version: [10, 0, 22000],
      platformId: 2,
      servicePack: '282',
    };
    assert.deepEqual(read(system, endian), {
      os: 'windows',
      platformId: 2,
      version: { major: 10, minor: 0, build: 22000 },
      servicePack: '282',
      cpu: 'amd64',
      processorArchitecture: 9,
      cpuInfo: 'family 6 model 140 stepping 1',
      cpuCount: 8,
    });
  });
}

test('maps each platform id to an operating system, and other ids to unknown', () => {
  const ids = [0, 1, 2, 3, 0x8101, 0x8102, 0x8201, 0x8202, 0x8203, 0x8204, 0x8205, 0x8206, 0x8000, 77];
  assert.deepEqual(
    ids.map((platformId) => read({ platformId }).os),
    [
      ...['windows', 'windows', 'windows', 'windows', 'macos', 'ios', 'linux', 'solaris', 'android', 'ps3', 'nacl'],
      ...['fuchsia', 'unknown', 'unknown'],
    ],
  );
});

test('maps each architecture to a CPU, and unsupported ones to undefined', () => {
  const numbers = [0, 10, 9, 5, 12, 0x8003, 6, 0x8002];
  assert.deepEqual(
    numbers.map((processorArchitecture) => read({ processorArchitecture }).cpu),
    ['x86', 'x86', 'amd64', 'arm', 'arm64', 'arm64', undefined, undefined],
  );
});

test('reads the CPU details at the end of the structure', () => {
  const cpu = new Uint8Array(24);
  cpu.set(new TextEncoder().encode('AuthenticAMD'));
  assert.equal(read({ processorArchitecture: 0, level: 6, cpu }).cpuInfo, 'AuthenticAMD family 6 model 0 stepping 0');
});

test('returns an empty service pack if it is unreadable, with a warning', () => {
  const { stream, warnings } = readDamaged(SYSTEM_INFO, { system: {} }, { at: 24, value: 0xffff_fff0 });
  assert.equal(stream?.servicePack, '');
  assert.match(warnings.join(), /the name of the service pack cannot be read/);
});
