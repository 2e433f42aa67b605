// What a later wing gets of the feedback that Sentry's SDKs send, and what it answers.
import type { Feedback } from '@chauffeur/sentry/event/event';
import type { Context } from '../../context.ts';
import type { StoredAttachment } from '../crashes/receive/store-file.ts';
import type { ChosenBuild } from './receive/choose-build.ts';

export type SentFeedback = {
  readonly gameId: string;
  /** What identifies it: the same name is the same feedback, sent again. */
  readonly name: string;
  readonly words: Feedback;
  /** Null if it doesn't say. */
  readonly build: ChosenBuild | null;
  readonly os: string;
  readonly arch: string;
  /** They are deleted afterwards, so what is kept of them has to be copied. */
  readonly files: readonly StoredAttachment[];
};

type FeedbackOutcome = 'taken' | 'repeated' | 'over_limit' | 'not_accepted';

/** The address of the request is empty if it isn't known. */
export type TakeFeedback = (
  ctx: Context,
  request: { readonly ip: string },
  feedback: SentFeedback,
) => Promise<FeedbackOutcome>;
