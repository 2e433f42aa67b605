// Crash reasons on Windows: exception codes, and NTSTATUS, Win32 and COM errors that are raised as exceptions.
import type { Exception } from '../../streams/exception.ts';
import { hex32 } from '../hex.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { FAST_FAILS } from './fast-fails.ts';
import { HRESULTS } from './hresults.ts';
import { NT_STATUSES } from './nt-statuses.ts';
import { WIN32_ERRORS } from './win32-errors.ts';

const ACCESS_VIOLATION = 0xc0000005;
const IN_PAGE_ERROR = 0xc0000006;
const STACK_BUFFER_OVERRUN = 0xc0000409;
/** Exceptions of .NET, before and since version 4. Their first parameter is the HRESULT of the exception. */
const MANAGED_EXCEPTIONS: readonly number[] = [0xe0434f4d, 0xe0434352];
/** .NET's own names for HRESULTs that it shares with COM: `corerror.h`. */
const MANAGED_NAMES: ReadonlyMap<number, string> = new Map([
  [0x80004002, 'COR_E_INVALIDCAST'],
  [0x80004003, 'COR_E_NULLREFERENCE'],
  [0x80020012, 'COR_E_DIVIDEBYZERO'],
  [0x80070057, 'COR_E_ARGUMENT'],
  [0x80070216, 'COR_E_ARITHMETIC'],
  [0x8007000e, 'COR_E_OUTOFMEMORY'],
  [0x80070002, 'COR_E_FILENOTFOUND'],
]);

/** The first parameter of an access violation or in-page error (Microsoft's documentation of `EXCEPTION_RECORD`). */
const ACCESSES: ReadonlyMap<bigint | undefined, string> = new Map([
  [0n, '_READ'],
  [1n, '_WRITE'],
  [8n, '_EXEC'],
]);

/** Facilities whose codes contain a Win32 error in their low 16 bits. Other facilities define their own codes. */
const WIN32_FACILITIES: Readonly<Record<number, string>> = { 7: 'FACILITY_WIN32', 109: 'FACILITY_VISUALCPP' };

/**
 * Returns a reason such as `EXCEPTION_ACCESS_VIOLATION_READ`, `STATUS_HEAP_CORRUPTION` or
 * `EXCEPTION_IN_PAGE_ERROR_READ / STATUS_IO_DEVICE_ERROR`.
 */
export function nameWindowsReason({ code, parameters }: Exception): string {
  const access = ACCESSES.get(parameters[0]) ?? '';
  if (code === ACCESS_VIOLATION) return `EXCEPTION_ACCESS_VIOLATION${access}`;
  if (code === IN_PAGE_ERROR) return `EXCEPTION_IN_PAGE_ERROR${access}${nameOperand(parameters[2], NT_STATUSES)}`;
  if (code === STACK_BUFFER_OVERRUN) return `EXCEPTION_STACK_BUFFER_OVERRUN${nameOperand(parameters[0], FAST_FAILS)}`;
  if (MANAGED_EXCEPTIONS.includes(code)) return `${EXCEPTIONS.get(code)}${nameManaged(parameters[0])}`;
  return EXCEPTIONS.get(code) ?? nameWindowsError(code);
}

/**
 * Names an error that a program raised or stored for GetLastError: `ERROR_FILE_NOT_FOUND`; hex if it has no name.
 *
 * Programs also store NTSTATUS and HRESULT values with SetLastError. A number in several lists is named as a Win32 error
 * first, then as an NTSTATUS, then as an HRESULT: 0 is ERROR_SUCCESS.
 */
export function nameWindowsError(code: number): string {
  return WIN32_ERRORS.get(code) ?? NT_STATUSES.get(code) ?? HRESULTS.get(code) ?? nameWrappedError(code) ?? hex32(code);
}

/** Returns the accessed address of an access violation or in-page error, otherwise the address of the instruction. */
export function findWindowsAddress({ code, address, parameters }: Exception): bigint {
  const isMemoryAccess = code === ACCESS_VIOLATION || code === IN_PAGE_ERROR;
  return isMemoryAccess ? (parameters[1] ?? address) : address;
}

/** Only a failure is an HRESULT of an exception: old versions have no parameters or other ones. */
function nameManaged(parameter: bigint | undefined): string {
  const code = parameter === undefined ? 0 : Number(BigInt.asUintN(32, parameter));
  return code < 0x8000_0000 ? '' : ` / ${MANAGED_NAMES.get(code) ?? nameWindowsError(code)}`;
}

function nameOperand(parameter: bigint | undefined, names: { get(code: number): string | undefined }): string {
  if (parameter === undefined) return '';
  // In a 64-bit program, the parameter is a sign-extended status: 0xffffffffc0000185.
  const code = Number(BigInt.asUintN(32, parameter));
  return ` / ${names.get(code) ?? hex32(code)}`;
}

/**
 * Names a Win32 error inside an HRESULT or an exception of the C++ runtime. For example, a missing delay-loaded DLL
 * raises 0xc06d007e: facility 109 and error 126, `FACILITY_VISUALCPP / ERROR_MOD_NOT_FOUND`.
 */
function nameWrappedError(code: number): string | undefined {
  const isSevere = code >>> 28 !== 0;
  const facility = WIN32_FACILITIES[(code >>> 16) & 0xfff];
  const error = WIN32_ERRORS.get(code & 0xffff);
  return isSevere && facility !== undefined && error !== undefined ? `${facility} / ${error}` : undefined;
}
