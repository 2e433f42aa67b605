// Maps a thrown value to the error that a caller sees: a code of the registry and a message, never a stack or a secret.
import { ApiError, errors } from '@chauffeur/contract/errors';
import { S3Error } from '../kernel/blobs/s3-error.ts';
import { isConflict, isDatabaseAway, isMissingReference } from '../kernel/database/db.ts';
import { isStorageFull } from '../kernel/storage-full.ts';

const DELETED_MEANWHILE = 'Something that this request refers to was deleted at the same time.';

/** Returns null for an error that has no code. */
export function asKnownError(thrown: unknown): ApiError | null {
  if (isFailure(thrown) && isStorageFull(thrown)) return errors.storageFull(undefined, { cause: thrown });
  if (thrown instanceof ApiError) return thrown;
  if (isMissingReference(thrown)) return errors.notFound(DELETED_MEANWHILE, { cause: thrown });
  // Writes that conflict are repeated. What fails in spite of it, such as during an update, succeeds later.
  const isTemporary = isDatabaseAway(thrown) || isConflict(thrown) || thrown instanceof S3Error;
  return isTemporary ? errors.unavailable(undefined, { cause: thrown }) : null;
}

/** The error for an unexpected failure. */
export function asUnexpected(thrown: unknown): ApiError {
  return errors.unexpected(undefined, { cause: thrown });
}

/** Client errors are the caller's to fix, even if a full disk is among their causes. */
function isFailure(thrown: unknown): boolean {
  return !(thrown instanceof ApiError) || thrown.status >= 500;
}
