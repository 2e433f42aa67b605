// Names what went wrong while an upload was being stored: the sender's fault, a full disk, the database, or the store.
import { ApiError } from '@chauffeur/contract/errors';
import { isDatabaseAway } from '../../kernel/db.ts';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** What the store or the disk could not do, as 5070 when there is no room and else as 5020; an ApiError stays as it is. */
export function storeFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return new ApiError(hasNoRoom(cause) ? 5070 : 5020, undefined, { cause });
}

/** What the database could not do: away is 5030, which whoever answers makes of it; anything else is worth sending again. */
export function recordFailure(cause: unknown): unknown {
  return cause instanceof ApiError || isDatabaseAway(cause) ? cause : new ApiError(5020, undefined, { cause });
}

function hasNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '') || hasNoRoom(error.cause);
}
