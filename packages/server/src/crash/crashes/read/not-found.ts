// The errors for reports, groups and files that do not exist.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { LinkKind } from '@chauffeur/contract/operations/crash-files';

export function unknownCrash(): ApiError {
  return errors.notFound('crash_id: this game has no such report; it may have been deleted or have expired.');
}

export function unknownGroup(): ApiError {
  return errors.notFound('group_id: this game has no such group; its reports may have moved to another one.');
}

export function noSuchFile(kind: LinkKind, cause?: unknown): ApiError {
  return errors.noSuchCrashFile(`kind: the report has no ${kind} to download. See which files it lists as available.`, {
    cause,
  });
}

export function unknownThread(): ApiError {
  return errors.notFound('thread: the dump has no such thread. List the threads of the report.');
}
