// Tests each kind of Windows exception code, and its parameters.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exceptionOf } from '../../../test/exceptions.ts';
import { findWindowsAddress, nameWindowsReason } from './windows.ts';

const CASES: [code: number, parameters: bigint[], expected: string][] = [
  [0xc0000005, [0n, 0x45n], 'EXCEPTION_ACCESS_VIOLATION_READ'],
  [0xc0000005, [1n, 0x45n], 'EXCEPTION_ACCESS_VIOLATION_WRITE'],
  [0xc0000005, [8n, 0x45n], 'EXCEPTION_ACCESS_VIOLATION_EXEC'],
  [0xc0000005, [2n, 0x45n], 'EXCEPTION_ACCESS_VIOLATION'],
  [0xc0000005, [], 'EXCEPTION_ACCESS_VIOLATION'],
  [0xc0000006, [0n, 0x45n, 0xc000009cn], 'EXCEPTION_IN_PAGE_ERROR_READ / STATUS_DEVICE_DATA_ERROR'],
  [0xc0000006, [1n, 0x45n, 0xffff_ffff_c000_0185n], 'EXCEPTION_IN_PAGE_ERROR_WRITE / STATUS_IO_DEVICE_ERROR'],
  [0xc0000006, [8n, 0x45n, 0xe0000001n], 'EXCEPTION_IN_PAGE_ERROR_EXEC / 0xe0000001'],
  [0xc0000006, [3n, 0x45n, 0xc000009cn], 'EXCEPTION_IN_PAGE_ERROR / STATUS_DEVICE_DATA_ERROR'],
  [0xc0000006, [0n, 0x45n], 'EXCEPTION_IN_PAGE_ERROR_READ'],
  [0xc0000006, [], 'EXCEPTION_IN_PAGE_ERROR'],
  [0xc0000409, [7n], 'EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_FATAL_APP_EXIT'],
  [0xc0000409, [2n], 'EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_STACK_COOKIE_CHECK_FAILURE'],
  [0xc0000409, [0xfffen], 'EXCEPTION_STACK_BUFFER_OVERRUN / 0x0000fffe'],
  [0xc0000409, [], 'EXCEPTION_STACK_BUFFER_OVERRUN'],
  [0x80000003, [], 'EXCEPTION_BREAKPOINT'],
  [0xc00000fd, [], 'EXCEPTION_STACK_OVERFLOW'],
  [0xc0000194, [], 'EXCEPTION_POSSIBLE_DEADLOCK'],
  [0xc0000374, [], 'STATUS_HEAP_CORRUPTION'],
  [0xc0000135, [], 'STATUS_DLL_NOT_FOUND'],
  [0xc0000417, [], 'STATUS_INVALID_CRUNTIME_PARAMETER'],
  [0x40010005, [], 'DBG_CONTROL_C'],
  [0xe06d7363, [], 'Unhandled C++ Exception'],
  [0xe0434352, [], 'MANAGED_EXCEPTION_CODE_V4'],
  [0xe0434352, [0xffff_ffff_8013_1509n], 'MANAGED_EXCEPTION_CODE_V4 / COR_E_INVALIDOPERATION'],
  [0xe0434352, [0x80004003n], 'MANAGED_EXCEPTION_CODE_V4 / COR_E_NULLREFERENCE'],
  [0xe0434352, [0x80070005n], 'MANAGED_EXCEPTION_CODE_V4 / E_ACCESSDENIED'],
  [0xe0434352, [0x8abcdef0n], 'MANAGED_EXCEPTION_CODE_V4 / 0x8abcdef0'],
  [0xe0434f4d, [4n], 'MANAGED_EXCEPTION_CODE'],
  [0x80131506, [], 'COR_E_EXECUTIONENGINE'],
  [0x80131623, [], 'COR_E_FAILFAST'],
  [0x80000100, [], 'EXCEPTION_WINE_STUB'],
  [0x80000101, [], 'EXCEPTION_WINE_ASSERTION'],
  [0x0eedfade, [], 'Delphi Exception'],
  [0x0eefface, [], 'C++Builder Exception'],
  [0xe0465043, [], 'Free Pascal Exception'],
  [0xe1525354, [], 'RUST_PANIC'],
  [0x21474343, [], 'STATUS_GCC_UNWIND'],
  [0x000bdb30, [], 'Unreal Engine Ensure'],
  [0x40080201, [], 'WinRT Originated Error'],
  [0x0cca11ed, [], 'Triggered Exception'],
  [0x406d1388, [], 'MS_VC_EXCEPTION'],
  [0xe24c4a00, [], 'LJ_EXCODE'],
  [0xe24c4a02, [], 'LJ_EXCODE / LUA_ERRRUN'],
  [0xe0000008, [], 'Out of Memory'],
  [0x0517a7ed, [], 'Simulated Exception'],
  [0x00004000, [], 'Unreal Engine Assertion'],
  [0xc06d007e, [], 'FACILITY_VISUALCPP / ERROR_MOD_NOT_FOUND'],
  [0xc06d007f, [], 'FACILITY_VISUALCPP / ERROR_PROC_NOT_FOUND'],
  [0x8007000e, [], 'E_OUTOFMEMORY'],
  [0x887a0005, [], 'DXGI_ERROR_DEVICE_REMOVED'],
  [0xdeadbeef, [], '0xdeadbeef'],
];

describe('nameWindowsReason', () => {
  for (const [code, parameters, expected] of CASES) {
    it(`names 0x${code.toString(16)} with [${parameters}] ${expected}`, () => {
      assert.equal(nameWindowsReason(exceptionOf({ code, parameters })), expected);
    });
  }

  it('does not look for a Win32 error in the code of another facility', () => {
    assert.equal(nameWindowsReason(exceptionOf({ code: 0xc0aa007e })), '0xc0aa007e');
  });

  it('does not look for a facility in a success code', () => {
    assert.equal(nameWindowsReason(exceptionOf({ code: 0x006d007e })), '0x006d007e');
  });
});

describe('findWindowsAddress', () => {
  const address = 0x1000n;

  it('returns the accessed address of an access violation and an in-page error', () => {
    for (const code of [0xc0000005, 0xc0000006]) {
      assert.equal(findWindowsAddress(exceptionOf({ code, address, parameters: [0n, 0x45n] })), 0x45n);
    }
  });

  it('returns the instruction if the parameters are missing', () => {
    assert.equal(findWindowsAddress(exceptionOf({ code: 0xc0000005, address, parameters: [0n] })), address);
  });

  it('returns the instruction of every other exception', () => {
    assert.equal(findWindowsAddress(exceptionOf({ code: 0x80000003, address, parameters: [0n, 0x45n] })), address);
  });
});
