// Reads a text of a request without the spaces around it.
import { ApiError } from '@chauffeur/contract/errors';

/** Throws 4002 for the field if there are only spaces. */
export function trimText(field: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ApiError(4002, `${field}: has only spaces. Write a text.`);
  return trimmed;
}
