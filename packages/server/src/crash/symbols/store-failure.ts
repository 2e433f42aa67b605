// Maps errors while an upload is stored to error codes.
import { ApiError } from '@chauffeur/contract/errors';
import { isDatabaseAway } from '../../kernel/database/db.ts';

/** For errors of the store or the disk: 5020, unless it is an ApiError. The HTTP layer turns a full disk into 5070. */
export function storeFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return new ApiError(5020, undefined, { cause });
}

/** For errors of the database: 5020, unless it is unavailable, which the HTTP layer turns into 5030. */
export function recordFailure(cause: unknown): unknown {
  return cause instanceof ApiError || isDatabaseAway(cause) ? cause : new ApiError(5020, undefined, { cause });
}
