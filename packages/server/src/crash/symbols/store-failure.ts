// Maps errors while an upload is stored to error codes.
import { ApiError, errors } from '@chauffeur/contract/errors';
import { isDatabaseAway } from '../../kernel/database/db.ts';

/**
 * Maps an error of the store or the disk: to `symbolsNotStored`, unless it is an ApiError. The HTTP layer turns a full
 * disk into `storageFull`.
 */
export function storeFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return errors.symbolsNotStored(undefined, { cause });
}

/**
 * Maps an error of the database: to `symbolsNotStored`, unless it is unavailable, which the HTTP layer turns into
 * `unavailable`.
 */
export function recordFailure(cause: unknown): unknown {
  return cause instanceof ApiError || isDatabaseAway(cause) ? cause : errors.symbolsNotStored(undefined, { cause });
}
