// What later wings get of what Sentry's SDKs send: feedback, which one of them answers, and the ids of devices.
import { createHmac } from 'node:crypto';
import type { Feedback } from '@chauffeur/sentry/event/event';
import { isRandomId } from '@chauffeur/sentry/sessions';
import type { Context } from '../../context.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';
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

const deviceKeyOf = perContext(({ secret }) => deriveKey(secret, 'sdk devices'));

/** An id that says nothing about who plays; null if the program doesn't say who plays. */
export function deviceUidOf(ctx: Context, userId: string): string | null {
  if (userId === '') return null;
  if (isRandomId(userId)) return userId;
  return createHmac('sha256', deviceKeyOf(ctx)).update(userId).digest('hex').slice(0, 32);
}
