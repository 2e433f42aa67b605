// Checks texts of requests: the names of files, and texts that must not be empty.

import { errors } from '@chauffeur/contract/errors';
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

/** Throws `invalid` for the field if there are only spaces. */
export function trimText(field: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw errors.invalid(`${field}: has only spaces. Write a text.`);
  return trimmed;
}
