// Passes on what players write in the feedback forms of Sentry's SDKs: as a separate event, or in the old form, which
// names the event of a crash. What becomes of it is decided elsewhere, because bug tickets belong to a later wing.
import { randomUUID } from 'node:crypto';
import type { Feedback, SentryEvent } from '@chauffeur/sentry/event/event';
import { userReportOf } from '@chauffeur/sentry/event/normalize';
import type { Context } from '../../../context.ts';
import { countStored, dailyLimits } from '../../crashes/receive/daily-limits.ts';
import type { StoredAttachment } from '../../crashes/receive/store-file.ts';
import type { SentFeedback, TakeFeedback } from '../sentry.ts';
import { buildFactsOf, chooseBuild } from './choose-build.ts';
import { countSentry } from './counts.ts';
import type { Intake } from './intake.ts';
import type { Sender } from './sender.ts';

type Request = { readonly ip: string };

/** Null in the place of an event: the old form. */
export type FeedbackItem = { readonly event: SentryEvent | null; readonly value: unknown };

/** Clients send one in an envelope. */
const MAX_FEEDBACK = 10;

/**
 * The files of the request belong to the first feedback that is an event, unless they were used for a report. Throws
 * errors of the store and the database.
 */
export async function receiveFeedback(
  ctx: Context,
  { request, sender, intake }: { readonly request: Request; readonly sender: Sender; readonly intake: Intake | null },
  items: readonly FeedbackItem[],
  take: TakeFeedback,
): Promise<void> {
  const drop = (type: string, reason: string, quantity = 1) =>
    countSentry(ctx, { ...sender, what: 'dropped', type, reason }, quantity);
  let files = intake?.openFiles?.attachments.stored ?? [];
  for (const { event, value } of items.slice(0, MAX_FEEDBACK)) {
    const type = event === null ? 'user_report' : 'feedback';
    const words = event === null ? userReportOf(value) : event.feedback;
    if (words === null || words.message === '') {
      drop(type, 'unreadable');
      continue;
    }
    const own = event === null ? [] : files;
    const outcome = await take(ctx, request, await feedbackOf(ctx, sender, { event, words, files: own }));
    if (outcome === 'repeated') countSentry(ctx, { ...sender, what: 'repeated', type, reason: '' });
    else if (outcome !== 'taken') drop(type, outcome);
    else {
      const stored = own.reduce((sum, file) => sum + file.stored, 0);
      await countStored(ctx.db, sender.gameId, stored, dailyLimits(ctx).day);
    }
    if (event !== null) files = [];
  }
  drop('feedback', 'too_many', items.length - MAX_FEEDBACK);
}

type Written = {
  readonly event: SentryEvent | null;
  readonly words: Feedback;
  readonly files: readonly StoredAttachment[];
};

async function feedbackOf(ctx: Context, { gameId }: Sender, { event, words, files }: Written): Promise<SentFeedback> {
  if (event === null) {
    // Without an id, nothing says whether it is the same.
    const name = `user_report ${words.eventId ?? randomUUID()} ${words.message}`;
    return { gameId, name, words, build: null, os: '', arch: '', files };
  }
  const facts = buildFactsOf(event);
  const namesBuild = facts.release !== '' || facts.buildIds.length > 0;
  const build = namesBuild ? await chooseBuild(ctx, gameId, facts) : null;
  const name = `feedback ${event.eventId ?? randomUUID()}`;
  return { gameId, name, words, build, os: facts.os, arch: facts.arch, files };
}
