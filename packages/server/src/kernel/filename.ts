// Which names an uploaded file may have.
import { LIMITS } from '@chauffeur/contract/limits';

/** Control characters, separators of paths, and what stands in for bytes that were no UTF-8. */
const FORBIDDEN = /[\p{Cc}/\\\ufffd]/u;

/** Null for a name that a file can have everywhere and PostgreSQL can store; else a sentence with the remedy. */
export function filenameProblem(name: string): string | null {
  if (name === '') return 'filename: missing; send the file’s name.';
  if (name.length > LIMITS.filenameLength)
    return `filename: longer than ${LIMITS.filenameLength} characters; shorten it.`;
  if (FORBIDDEN.test(name) || !name.isWellFormed())
    return 'filename: holds characters that a file name may not have; rename the file.';
  return null;
}
