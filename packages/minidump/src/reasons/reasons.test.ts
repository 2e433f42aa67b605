// Tests the reasons of each operating system, and the crash address.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exceptionOf, systemOf } from '../../test/exceptions.ts';
import type { CpuName } from '../contexts/cpu.ts';
import type { OsName } from '../streams/system-info.ts';
import { explainCrash, nameWin32Error } from './reasons.ts';

const SYSTEMS: readonly OsName[] = [
  'windows',
  'macos',
  'ios',
  'linux',
  'android',
  'solaris',
  'ps3',
  'nacl',
  'fuchsia',
  'unknown',
];
const CPUS: readonly (CpuName | undefined)[] = ['x86', 'amd64', 'arm', 'arm64', undefined];

describe('explainCrash', () => {
  const reasons: [OsName, number, string][] = [
    ['windows', 11, 'ERROR_BAD_FORMAT'],
    ['linux', 11, 'SIGSEGV / SEGV_MAPERR'],
    ['android', 11, 'SIGSEGV / SEGV_MAPERR'],
    ['macos', 1, 'EXC_BAD_ACCESS / KERN_INVALID_ADDRESS'],
    ['ios', 1, 'EXC_BAD_ACCESS / KERN_INVALID_ADDRESS'],
    ['fuchsia', 0x108, 'FATAL_PAGE_FAULT / 0x00000001'],
    ['solaris', 10, 'SIGBUS'],
    ['solaris', 18, 'SIGCLD | SIGCHLD'],
    ['ps3', 6, 'DATA_STORAGE'],
    ['nacl', 11, '0x0000000b / 0x00000001'],
    ['unknown', 11, '0x0000000b / 0x00000001'],
  ];
  for (const [os, code, expected] of reasons) {
    it(`names ${code} on ${os} ${expected}`, () => {
      assert.equal(explainCrash(exceptionOf({ code, flags: 1 }), systemOf({ os })).type, expected);
    });
  }

  it('prints unknown codes as hex', () => {
    for (const os of ['fuchsia', 'solaris', 'ps3'] as const) {
      const { type } = explainCrash(exceptionOf({ code: 0xfffe, flags: 0xabc }), systemOf({ os }));
      assert.equal(type, '0x0000fffe / 0x00000abc');
    }
  });

  it('prints codes as hex if the dump does not name its operating system', () => {
    const exception = exceptionOf({ code: 11, flags: 1, address: 0x1234n });
    assert.deepEqual(explainCrash(exception, undefined), { type: '0x0000000b / 0x00000001', address: 0x1234n });
  });

  it('returns the address of the exception', () => {
    const exception = exceptionOf({ code: 11, flags: 1, address: 0x7fff_0000_0010n });
    assert.equal(explainCrash(exception, systemOf({ os: 'linux' })).address, 0x7fff_0000_0010n);
  });

  it('returns the accessed address of an access violation, and the instruction of other exceptions', () => {
    const parameters = [1n, 0x45n];
    const violation = exceptionOf({ code: 0xc0000005, address: 0x1000n, parameters });
    assert.equal(explainCrash(violation, systemOf({ os: 'windows' })).address, 0x45n);
    const overflow = exceptionOf({ code: 0xc00000fd, address: 0x1000n, parameters });
    assert.equal(explainCrash(overflow, systemOf({ os: 'windows' })).address, 0x1000n);
  });

  it('removes the sign extension of a 32-bit address, and keeps the upper half on 64-bit CPUs', () => {
    const parameters = [1n, 0xffff_ffff_f0e0_d0c0n];
    const violation = exceptionOf({ code: 0xc0000005, parameters });
    const addressOn = (cpu: CpuName) => explainCrash(violation, systemOf({ os: 'windows', cpu })).address;
    assert.equal(addressOn('x86'), 0xf0e0d0c0n);
    assert.equal(addressOn('arm'), 0xf0e0d0c0n);
    assert.equal(addressOn('amd64'), 0xffff_ffff_f0e0_d0c0n);
    assert.equal(addressOn('arm64'), 0xffff_ffff_f0e0_d0c0n);
  });

  it('returns one line of printable ASCII for any exception on any operating system', () => {
    const code = fc.oneof(
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(0xc0000005, 0xc0000006, 0xc0000409, 0xffffffff, 0x43507378),
    );
    const parameter = fc.oneof(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.bigInt({ min: 0n, max: 15n }));
    const fields = fc.record({ code, flags: code, parameters: fc.array(parameter, { maxLength: 15 }) });
    fc.assert(
      fc.property(fields, fc.constantFrom(...SYSTEMS), fc.constantFrom(...CPUS), (exception, os, cpu) => {
        assert.match(explainCrash(exceptionOf(exception), systemOf({ os, cpu })).type, /^[!-~]+( [!-~]+)*$/);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('nameWin32Error', () => {
  const cases: [number, string][] = [
    [0, 'ERROR_SUCCESS'],
    [2, 'ERROR_FILE_NOT_FOUND'],
    [126, 'ERROR_MOD_NOT_FOUND'],
    [10054, 'WSAECONNRESET'],
    [0xc0000034, 'STATUS_OBJECT_NAME_NOT_FOUND'],
    [0x8000000a, 'STATUS_HANDLES_CLOSED'],
    [0x80004005, 'E_FAIL'],
    [0x80070020, 'FACILITY_WIN32 / ERROR_SHARING_VIOLATION'],
    [0xe0001234, '0xe0001234'],
  ];
  for (const [code, expected] of cases) {
    it(`names ${code} ${expected}`, () => assert.equal(nameWin32Error(code), expected));
  }
});
