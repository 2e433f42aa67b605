// Why a file of a report was not kept, in sentences for the report.
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { CrashFileKind } from './tokens.ts';

export type LossReason = 'too_large' | 'empty' | 'past_limit' | 'not_unpacked';

const MAX_MB = LIMITS.crashFileBytes / MIB;

export const LOST_FILES: Readonly<Record<LossReason, Readonly<Record<CrashFileKind, string>>>> = {
  too_large: {
    dump: `The dump is larger than ${MAX_MB} MB and was not kept.`,
    log: `The log is larger than ${MAX_MB} MB and was not kept.`,
  },
  empty: {
    dump: 'The dump was empty.',
    log: 'The log was empty.',
  },
  not_unpacked: {
    dump: 'The dump was compressed, but damaged, cut off, or much smaller than its content, and was not kept.',
    log: 'The log was compressed, but damaged, cut off, or much smaller than its content, and was not kept.',
  },
  past_limit: {
    dump: 'The dump was not kept because the game had reached its daily limit for crash files.',
    log: 'The log was not kept because the game had reached its daily limit for crash files.',
  },
};

export const LOST_ATTACHMENTS =
  'The attachments were not kept because the game had reached its daily limit for crash files.';

/** The reason for the loss of a dump that would have been uploaded after the report. */
export const NOT_REQUESTED = 'The dump was not requested because the game had reached its daily limit for crash files.';
