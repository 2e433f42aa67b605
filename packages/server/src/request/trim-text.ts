// Reads a text of a request without the spaces around it.
import { errors } from '@chauffeur/contract/errors';

/** Throws `invalid` for the field if there are only spaces. */
export function trimText(field: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw errors.invalid(`${field}: has only spaces. Write a text.`);
  return trimmed;
}
