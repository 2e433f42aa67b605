// Windows: exception codes, and the NTSTATUS, Win32 and COM errors that are raised as exceptions.
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

/** First parameter of an access violation and of an in-page error (`EXCEPTION_RECORD` in Microsoft’s documentation). */
const ACCESSES: ReadonlyMap<bigint | undefined, string> = new Map([
  [0n, '_READ'],
  [1n, '_WRITE'],
  [8n, '_EXEC'],
]);

/** Facilities whose codes are Win32 errors in their low 16 bits; those of others are their own. */
const WIN32_FACILITIES: Readonly<Record<number, string>> = { 7: 'FACILITY_WIN32', 109: 'FACILITY_VISUALCPP' };

/** `EXCEPTION_ACCESS_VIOLATION_READ`, `EXCEPTION_IN_PAGE_ERROR_READ / STATUS_IO_DEVICE_ERROR`, `STATUS_HEAP_CORRUPTION`. */
export function nameWindowsReason({ code, parameters }: Exception): string {
  const access = ACCESSES.get(parameters[0]) ?? '';
  if (code === ACCESS_VIOLATION) return `EXCEPTION_ACCESS_VIOLATION${access}`;
  if (code === IN_PAGE_ERROR) return `EXCEPTION_IN_PAGE_ERROR${access}${nameOperand(parameters[2], NT_STATUSES)}`;
  if (code === STACK_BUFFER_OVERRUN) return `EXCEPTION_STACK_BUFFER_OVERRUN${nameOperand(parameters[0], FAST_FAILS)}`;
  return EXCEPTIONS.get(code) ?? nameWindowsError(code);
}

/**
 * The name of an error that a program raised or left for GetLastError, `ERROR_FILE_NOT_FOUND`; hex when it has none.
 *
 * Nobody keeps callers of SetLastError from storing an NTSTATUS or an HRESULT, so these are looked for too. A number
 * that several lists have is, in this order, a Win32 error, an NTSTATUS, an HRESULT: 0 is ERROR_SUCCESS.
 */
export function nameWindowsError(code: number): string {
  return WIN32_ERRORS.get(code) ?? NT_STATUSES.get(code) ?? HRESULTS.get(code) ?? nameWrappedError(code) ?? hex32(code);
}

/** The address that an access violation or an in-page error was about is a parameter; else it is the instruction’s. */
export function findWindowsAddress({ code, address, parameters }: Exception): bigint {
  const isOfMemory = code === ACCESS_VIOLATION || code === IN_PAGE_ERROR;
  return isOfMemory ? (parameters[1] ?? address) : address;
}

function nameOperand(parameter: bigint | undefined, names: { get(code: number): string | undefined }): string {
  if (parameter === undefined) return '';
  // A status is sign-extended in the parameters of a 64-bit program: 0xffffffffc0000185.
  const code = Number(BigInt.asUintN(32, parameter));
  return ` / ${names.get(code) ?? hex32(code)}`;
}

/**
 * A Win32 error inside an HRESULT or an exception of the C++ runtime. The loader of delay-loaded DLLs raises
 * 0xc06d007e when it does not find one: facility 109 and error 126, `FACILITY_VISUALCPP / ERROR_MOD_NOT_FOUND`.
 */
function nameWrappedError(code: number): string | undefined {
  const isSevere = code >>> 28 !== 0;
  const facility = WIN32_FACILITIES[(code >>> 16) & 0xfff];
  const error = WIN32_ERRORS.get(code & 0xffff);
  return isSevere && facility !== undefined && error !== undefined ? `${facility} / ${error}` : undefined;
}
