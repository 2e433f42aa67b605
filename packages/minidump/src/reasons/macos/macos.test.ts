// Tests macOS and iOS exceptions on each CPU, and the exceptions that Crashpad wraps or defines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exceptionOf, systemOf } from '../../../test/exceptions.ts';
import type { CpuName } from '../../contexts/cpu.ts';
import type { Exception } from '../../streams/exception.ts';
import { nameMacosReason } from './macos.ts';

const CASES: [cpu: CpuName, exception: number, code: number, expected: string][] = [
  ['amd64', 1, 1, 'EXC_BAD_ACCESS / KERN_INVALID_ADDRESS'],
  ['arm64', 1, 2, 'EXC_BAD_ACCESS / KERN_PROTECTION_FAILURE'],
  ['arm64', 1, 50, 'EXC_BAD_ACCESS / KERN_CODESIGN_ERROR'],
  ['x86', 1, 13, 'EXC_BAD_ACCESS / EXC_I386_GPFLT'],
  ['arm64', 1, 13, 'EXC_BAD_ACCESS / 0x0000000d'],
  ['arm64', 1, 0x105, 'EXC_BAD_ACCESS / EXC_ARM_PAC_FAIL'],
  ['amd64', 1, 0x105, 'EXC_BAD_ACCESS / 0x00000105'],
  ['amd64', 2, 1, 'EXC_BAD_INSTRUCTION / EXC_I386_INVOP'],
  ['arm', 2, 1, 'EXC_BAD_INSTRUCTION / EXC_ARM_UNDEFINED'],
  ['amd64', 3, 1, 'EXC_ARITHMETIC / EXC_I386_DIV'],
  ['arm64', 3, 2, 'EXC_ARITHMETIC / EXC_ARM_FP_DZ'],
  ['amd64', 5, 0x10002, 'EXC_SOFTWARE / SIGABRT'],
  ['amd64', 5, 0xdeadc0de, 'EXC_SOFTWARE / UNCAUGHT_NS_EXCEPTION'],
  ['amd64', 6, 2, 'EXC_BREAKPOINT / EXC_I386_BPT'],
  ['arm64', 6, 1, 'EXC_BREAKPOINT / EXC_ARM_BREAKPOINT'],
  ['arm64', 7, 42, 'EXC_SYSCALL / 0x0000002a'],
  ['arm64', 0x43507378, 0, 'Simulated Exception'],
  ['arm64', 0x43506e78, 0, 'Uncaught NSException'],
  ['arm64', 99, 3, '0x00000063 / 0x00000003'],
];
for (const [cpu, code, flags, expected] of CASES) {
  test(`names ${code} with code ${flags} on ${cpu} ${expected}`, () => {
    assert.equal(nameOn(cpu, { code, flags }), expected);
  });
}

test('prints the codes of an unknown CPU as hex', () => {
  const system = systemOf({ os: 'macos', cpu: undefined });
  assert.equal(nameMacosReason(exceptionOf({ code: 2, flags: 1 }), system), 'EXC_BAD_INSTRUCTION / 0x00000001');
});

test('finds the signal in EXC_CRASH, even if Crashpad unwrapped it to 0', () => {
  const parameters = [10n, 0x0600_0000n, 0n];
  assert.equal(nameOn('arm64', { code: 10, parameters }), 'EXC_CRASH / SIGABRT');
  assert.equal(nameOn('arm64', { code: 0, parameters }), 'EXC_CRASH / SIGABRT');
  assert.equal(nameOn('arm64', { code: 10, flags: 0x0600_0000 }), 'EXC_CRASH / 0x06000000');
});

test('names the exception that Crashpad unwrapped from EXC_CRASH, without the code of the wrapper', () => {
  const segv = { code: 1, flags: 1, parameters: [10n, 0x0b10_0001n, 0n] };
  assert.equal(nameOn('arm64', segv), 'EXC_BAD_ACCESS / KERN_INVALID_ADDRESS');
  const guard = { code: 12, flags: 2, parameters: [10n, 0x09c0_0002n, 0n] };
  assert.equal(nameOn('arm64', guard), 'EXC_GUARD / 0x00000002');
});

test('names the exhausted resource or the violated guard if the parameters are available', () => {
  const memory = { code: 11, flags: 0x6400_0000, parameters: [11n, 0x6400_0000_0000_0800n, 0n] };
  const limit = 'EXC_RESOURCE / RESOURCE_TYPE_MEMORY / FLAVOR_HIGH_WATERMARK high watermark limit: 2048MiB';
  assert.equal(nameOn('arm64', memory), limit);
  assert.equal(nameOn('arm64', { ...memory, parameters: [] }), 'EXC_RESOURCE / 0x64000000');
  const file = { code: 12, flags: 0x4000_0001, parameters: [12n, 0x4000_0001_0000_0007n, 42n] };
  const violation = 'EXC_GUARD / GUARD_TYPE_FD / GUARD_EXC_CLOSE file descriptor: 7 guard identifier: 42';
  assert.equal(nameOn('arm64', file), violation);
});

test('recognizes the SIGABRT that Crashpad writes on iOS as exception 6', () => {
  const abort = exceptionOf({ code: 6, flags: 0 });
  assert.equal(nameMacosReason(abort, systemOf({ os: 'ios', cpu: 'arm64' })), 'SIGABRT');
  assert.equal(nameMacosReason(abort, systemOf({ os: 'macos', cpu: 'arm64' })), 'EXC_BREAKPOINT / 0x00000000');
});

function nameOn(cpu: CpuName, fields: Partial<Exception>): string {
  return nameMacosReason(exceptionOf(fields), systemOf({ os: 'macos', cpu }));
}
