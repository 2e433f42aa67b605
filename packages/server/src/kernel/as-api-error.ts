// Tells of anything thrown what a caller is told: a code of the registry and a message, never a stack or a secret.
import { ApiError } from '@chauffeur/contract/errors';
import { isDatabaseAway } from './db.ts';
import { hasNoRoom } from './no-room.ts';

/** Null for what is not known here. */
export function asKnownError(thrown: unknown): ApiError | null {
  if (isFailure(thrown) && hasNoRoom(thrown)) return new ApiError(5070, undefined, { cause: thrown });
  if (thrown instanceof ApiError) return thrown;
  return isDatabaseAway(thrown) ? new ApiError(5030, undefined, { cause: thrown }) : null;
}

/** What nobody foresaw. */
export function asUnexpected(thrown: unknown): ApiError {
  return new ApiError(5000, undefined, { cause: thrown });
}

/** A refusal is the caller’s to mend, whatever it was caused by. */
function isFailure(thrown: unknown): boolean {
  return !(thrown instanceof ApiError) || thrown.status >= 500;
}
