// Decides whether an error of a page means that there is nothing at its address.
import { ApiError } from '@chauffeur/contract/errors';

/** What the address names doesn't exist, the visitor may not know of it, or it is no valid id (4002). */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 4002);
}
