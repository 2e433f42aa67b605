import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { MISC_INFO, type MiscInfo } from './misc-info.ts';

const misc = {
  processId: 4711,
  processTimes: { create: 1_700_000_000, user: 3, kernel: 1 },
  processorPower: [3600, 3400, 3500, 2, 1] as const,
  integrityLevel: 0x2000,
  executeFlags: 0x4d,
  protectedProcess: true,
  timeZone: { id: 2, bias: -60, standard: 'Central European Time', daylight: 'CEST' },
  buildString: '10.0.19042.1 (vb_release)',
  debugBuildString: 'dbgcore.i386',
  processCookie: 0xdead_beef,
};

const whole: MiscInfo = {
  processId: 4711,
  processTimes: { create: 1_700_000_000, user: 3, kernel: 1 },
  processorPower: { maxMhz: 3600, currentMhz: 3400, mhzLimit: 3500, maxIdleState: 2, currentIdleState: 1 },
  integrityLevel: 0x2000,
  executeFlags: 0x4d,
  protectedProcess: true,
  timeZone: {
    id: 2,
    bias: -60,
    standardName: 'Central European Time',
    standardBias: 0,
    daylightName: 'CEST',
    daylightBias: -60,
  },
  buildString: '10.0.19042.1 (vb_release)',
  debugBuildString: 'dbgcore.i386',
  processCookie: 0xdead_beef,
};

const nothing = Object.fromEntries(Object.keys(whole).map((key) => [key, undefined]));

test('reads all fields of the fifth version in both byte orders', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(MISC_INFO, { endian, misc }), { stream: whole, warnings: [] });
});

const FIRST = ['processId', 'processTimes'] as const;
const SECOND = [...FIRST, 'processorPower'] as const;
const THIRD = [...SECOND, 'integrityLevel', 'executeFlags', 'protectedProcess', 'timeZone'] as const;
const FOURTH = [...THIRD, 'buildString', 'debugBuildString'] as const;
const VERSIONS: readonly (readonly [number, readonly (keyof MiscInfo)[]])[] = [
  [24, FIRST],
  [44, SECOND],
  [232, THIRD],
  [832, FOURTH],
];

for (const [size, fields] of VERSIONS) {
  test(`reads only the fields within a structure of ${size} bytes, regardless of its flags`, () => {
    const expected = Object.fromEntries(fields.map((field) => [field, whole[field]]));
    assert.deepEqual(readWritten(MISC_INFO, { misc: { ...misc, size } }).stream, { ...nothing, ...expected });
  });
}

test('returns undefined for a field whose flag is not set', () => {
  assert.deepEqual(readWritten(MISC_INFO, { misc: { processId: 5 } }).stream, { ...nothing, processId: 5 });
});

test('distinguishes a process that is not protected from an unknown one', () => {
  const { stream } = readWritten(MISC_INFO, { misc: { ...misc, protectedProcess: false } });
  assert.equal(stream?.protectedProcess, false);
});

test('warns about a structure that is too short for its flags', () => {
  const { stream, warnings } = readWritten(MISC_INFO, { misc: { ...misc, size: 6 } });
  assert.equal(stream, undefined);
  assert.match(warnings.join(), /^MiscInfoStream: 4 bytes at 4 are outside/);
});
