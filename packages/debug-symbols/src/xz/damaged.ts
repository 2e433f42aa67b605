// The error of the decoders.
import { DebugSymbolsError } from '../error.ts';

/** The error for compressed data that no compressor writes. */
export function damaged(): DebugSymbolsError {
  return new DebugSymbolsError('malformed', 'compressed data is damaged');
}
