// Decides which file names an upload may have.
import { LIMITS } from '@chauffeur/contract/limits';
import { hasHiddenCharacter } from '@chauffeur/contract/text';

/** Path separators, and the replacement character for bytes that are not UTF-8. */
const FORBIDDEN = /[/\\\ufffd]/u;

/** Returns null for a name that every OS and PostgreSQL can store, otherwise a sentence about the problem. */
export function findFilenameProblem(name: string): string | null {
  if (name === '') return 'filename: missing. Send the name of the file.';
  if (name.length > LIMITS.filenameLength)
    return `filename: longer than ${LIMITS.filenameLength} characters. Shorten it.`;
  if (FORBIDDEN.test(name) || hasHiddenCharacter(name) || !name.isWellFormed())
    return 'filename: contains characters that are not allowed. Rename the file.';
  return null;
}
