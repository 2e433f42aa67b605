// Crash reasons on PlayStation 3: the exceptions of its kernel.
import type { Exception } from '../streams/exception.ts';
import { hexReason } from './hex.ts';

/** Breakpad's names, by number from 0. */
const EXCEPTIONS: readonly string[] = [
  'UNKNOWN',
  'TRAP_EXCEP',
  'PRIV_INSTR',
  'ILLEGAL_INSTR',
  'INSTR_STORAGE',
  'INSTR_SEGMENT',
  'DATA_STORAGE',
  'DATA_SEGMENT',
  'FLOAT_POINT',
  'DABR_MATCH',
  'ALIGN_EXCEP',
  'MEMORY_ACCESS',
  'COPRO_ALIGN',
  'COPRO_INVALID_COM',
  'COPRO_ERR',
  'COPRO_FIR',
  'COPRO_DATA_SEGMENT',
  'COPRO_DATA_STORAGE',
  'COPRO_STOP_INSTR',
  'COPRO_HALT_INSTR',
  'COPRO_HALTINSTR_UNKNOWN',
  'COPRO_MEMORY_ACCESS',
  'GRAPHIC',
];

/** Returns a reason such as `DATA_STORAGE`. */
export function namePs3Reason(exception: Exception): string {
  return EXCEPTIONS[exception.code] ?? hexReason(exception);
}
