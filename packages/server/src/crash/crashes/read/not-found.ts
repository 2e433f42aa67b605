// The errors for reports, groups and files that do not exist.
import { ApiError } from '@chauffeur/contract/errors';
import type { LinkKind } from '@chauffeur/contract/operations/crashes';

export function unknownCrash(): ApiError {
  return new ApiError(4040, 'crash_id: this game has no such report; it may have been deleted or have expired.');
}

export function unknownGroup(): ApiError {
  return new ApiError(4040, 'group_id: this game has no such group; its reports may have moved to another one.');
}

export function noSuchFile(kind: LinkKind, cause?: unknown): ApiError {
  return new ApiError(4090, `kind: the report has no ${kind} to download. See which files it lists as available.`, {
    cause,
  });
}

export function unknownThread(): ApiError {
  return new ApiError(4040, 'thread: the dump has no such thread. List the threads of the report.');
}
