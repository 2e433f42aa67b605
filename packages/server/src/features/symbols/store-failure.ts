// Names what went wrong while an upload was being stored: the sender's fault, the database, or the store.
import { ApiError } from '@chauffeur/contract/errors';
import { isDatabaseAway } from '../../kernel/db.ts';

/** What the store or the disk could not do; an ApiError stays as it is. Where there was no room, whoever answers makes 5070 of it. */
export function storeFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return new ApiError(5020, undefined, { cause });
}

/** What the database could not do: away is 5030, which whoever answers makes of it; anything else is worth sending again. */
export function recordFailure(cause: unknown): unknown {
  return cause instanceof ApiError || isDatabaseAway(cause) ? cause : new ApiError(5020, undefined, { cause });
}
