// Splits symbol files into uploads within the limits of the service.
import { LIMITS } from '@chauffeur/contract/limits';

/** The limits of the service: bytes per file and per upload, and files and unpacked bytes per upload. */
export const SYMBOL_LIMITS = {
  fileBytes: LIMITS.symbolFileBytes,
  uploadBytes: LIMITS.symbolUploadBytes,
  filesPerUpload: LIMITS.symbolFiles,
  unpackedBytes: LIMITS.symbolUnpackedBytes,
} as const;

/** Splits files, in order, into uploads within the limits of the service. */
export function batchesOf<File extends { readonly size: number }>(files: readonly File[]): File[][] {
  const batches: File[][] = [];
  let bytes = 0;
  for (const file of files) {
    const batch = batches.at(-1);
    bytes += file.size;
    if (batch === undefined || batch.length >= SYMBOL_LIMITS.filesPerUpload || bytes > SYMBOL_LIMITS.unpackedBytes) {
      batches.push([file]);
      bytes = file.size;
    } else {
      batch.push(file);
    }
  }
  return batches;
}
