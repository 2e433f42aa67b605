// Receives envelopes, and the single events of old clients.
import { errors } from '@chauffeur/contract/errors';
import { discardedOf } from '@chauffeur/sentry/client-report';
import type { RequestHead } from '@chauffeur/sentry/dsn/credentials';
import { decodeBody } from '@chauffeur/sentry/encoding';
import { collectBody, type Envelope, readWhole } from '@chauffeur/sentry/envelope/collect';
import { MAX_EVENT_BYTES } from '@chauffeur/sentry/envelope/kinds';
import { parseStoreBody } from '@chauffeur/sentry/envelope/store-body';
import { SentryError } from '@chauffeur/sentry/error';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { kindOfEvent, normalizeEvent, userReportOf } from '@chauffeur/sentry/event/normalize';
import { eventIdOf } from '@chauffeur/sentry/ids';
import { type SessionUpdate, sessionOf } from '@chauffeur/sentry/sessions';
import type { Context } from '../../../context.ts';
import { BodyTooLargeError } from '../../../request/body.ts';
import { MAX_FORM_BYTES } from '../../crashes/receive/form.ts';
import { deviceUidOf, type TakeFeedback } from '../sentry.ts';
import { buildFactsOf } from './choose-build.ts';
import { countSentry } from './counts.ts';
import { detailsOfEvent } from './event-details.ts';
import { type FeedbackItem, receiveFeedback } from './feedback.ts';
import { Intake } from './intake.ts';
import { largeEvents } from './large-events.ts';
import { credentialsOf, findSender, findSenderOfHead, readBody, type Sender, type SentryRequest } from './sender.ts';
import { receiveSessions, type TakeSessions } from './sessions.ts';

/** What a request is answered. */
export type Received = {
  readonly sender: Sender;
  /** The event's; null if it has none. */
  readonly id: string | null;
  /** Whether it had anything that nothing is made of, so that the client is asked to stop sending it. */
  readonly hasUnused: boolean;
  /** Set if sessions were past the daily limit: the seconds that the client has to wait, and whether that was all. */
  readonly overLimit?: { readonly seconds: number; readonly isAll: boolean };
};

/** What takes things that reports aren't made of. Wings after this one define it. */
type LaterWings = { readonly takeFeedback: TakeFeedback; readonly takeSessions: TakeSessions };

/** `POST …/envelope/`, and the tunnel, whose key is only in the envelope. Throws `unknownDsn` and `limitReached`. */
export async function receiveEnvelope(
  ctx: Context,
  request: SentryRequest,
  head: RequestHead,
  { takeFeedback, takeSessions }: LaterWings,
): Promise<Received> {
  // Most requests have their key in the head: then nothing is read of those with a wrong one.
  let sender = await findSenderOfHead(ctx, request, head);
  let intake: Intake | null = null;
  const envelope = await readBody(ctx, request, MAX_FORM_BYTES, (body) =>
    collectBody(body, request.headers['content-encoding'], {
      onHeader: async (header) => {
        const whole = { ...head, dsn: header.dsn };
        if (sender === null) sender = await findSender(ctx, request, whole);
        else if (header.dsn !== undefined) credentialsOf(ctx, request, whole);
        intake = new Intake(ctx, sender, eventIdOf(header.event_id));
      },
      large: largeEvents(ctx, request.ip),
      keepFile: async ({ kind, filename, bytes, isWhole }) => {
        if (kind === 'apple_report') return skip(bytes);
        const files = await intake!.files();
        const before = files.all.length;
        const lost = files.lostForRoom;
        // A dump that was cut off is kept: the stackwalker reads what there is of it.
        if (kind === 'minidump') await files.keepDump(filename === '' ? 'minidump.dmp' : filename, bytes);
        else await files.attach.keep(filename === '' ? kind : filename, bytes, () => !isWhole());
        if (files.lostForRoom > lost) return 'no_room';
        return files.all.length > before ? null : 'too_large';
      },
    }),
  ).catch(async (error: unknown) => {
    await (intake as Intake | null)?.discard();
    throw error;
  });
  if (sender === null || intake === null) throw unreadable(envelope.failure);
  const sessions = envelope.items.filter(({ type }) => type === 'session').map(({ value }) => value);
  // What else it has may be past a limit.
  const seconds = await receiveSessions(ctx, sender, sessions, takeSessions).catch(async (error: unknown) => {
    await (intake as Intake | null)?.discard();
    throw error;
  });
  const received = await finish(ctx, { request, sender, intake, takeFeedback }, envelope);
  if (seconds === 0) return received;
  const isAll = envelope.items.length === sessions.length && (intake as Intake).openFiles === null;
  return { ...received, overLimit: { seconds, isAll } };
}

async function skip(bytes: AsyncIterable<Uint8Array>): Promise<'not_used'> {
  for await (const _ of bytes);
  return 'not_used';
}

/** An envelope of which nothing could be read. */
function unreadable(failure: unknown): unknown {
  if (failure instanceof BodyTooLargeError || (failure instanceof SentryError && failure.code === 'too-large'))
    return errors.tooLarge('The envelope is too large. Send a smaller one.');
  if (failure instanceof SentryError) return errors.unreadableBody(failure.message, { cause: failure });
  return failure ?? errors.unknownDsn('The request has no key. Send the DSN of the game with it.');
}

type Request = {
  readonly request: SentryRequest;
  readonly sender: Sender;
  readonly intake: Intake;
  readonly takeFeedback: TakeFeedback;
};

async function finish(ctx: Context, received: Request, envelope: Envelope<SentryEvent>): Promise<Received> {
  const { sender, intake, takeFeedback } = received;
  const { items, dropped, failure } = envelope;
  const count = (what: 'dropped' | 'discarded' | 'message', type: string, reason: string, quantity = 1) =>
    countSentry(ctx, { ...sender, what, type, reason }, quantity);
  for (const { type, reason, quantity } of dropped) count('dropped', type, reason, quantity);
  const isEmpty = items.length === 0 && dropped.length === 0 && intake.openFiles === null;
  if (isEmpty && (failure instanceof SentryError || failure instanceof BodyTooLargeError)) throw unreadable(failure);
  let id = envelope.eventId;
  let usesFiles = false;
  const feedback: FeedbackItem[] = [];
  for (const { type, value, event: large } of items) {
    if (type === 'client_report')
      for (const { reason, category, quantity } of discardedOf(value)) count('discarded', category, reason, quantity);
    else if (type === 'user_report') feedback.push({ event: null, value });
    else if (type === 'event' || type === 'feedback') {
      const headerId = usesFiles ? null : envelope.eventId;
      const event = large === null ? normalizeEvent(value, headerId) : { ...large, eventId: large.eventId ?? headerId };
      id ??= event.eventId;
      const hasDump = !usesFiles && intake.hasDump;
      const kind = kindOfEvent(event, { type, hasDump });
      if (kind === 'message') count('message', event.level, '');
      else if (kind === 'feedback') feedback.push({ event, value });
      else if (kind === 'transaction') count('dropped', kind, 'not_used');
      else {
        // The files are those of the first event: clients send one in an envelope.
        const target = usesFiles ? new Intake(ctx, sender, event.eventId) : intake;
        usesFiles = true;
        await target.report({
          kind,
          event,
          build: buildFactsOf(event),
          details: detailsOfEvent(event, {
            others: {},
            deviceUid: deviceUidOf(ctx, event.userId || (sessionIn(items)?.did ?? '')),
            sessionId: sessionIn(items)?.sid ?? null,
            userMessage: userMessageOf(items, event.eventId),
            omissions: [...target.omissions, ...omissionsOf(envelope)],
          }),
        });
      }
    }
  }
  const usedByFeedback = usesFiles || intake.hasDump ? null : intake;
  try {
    await receiveFeedback(ctx, { ...received, intake: usedByFeedback }, feedback, takeFeedback);
  } catch (error) {
    await usedByFeedback?.discard();
    throw error;
  }
  if (!usesFiles) await finishFiles(ctx, sender, intake, envelope);
  return { sender, id, hasUnused: dropped.some(({ reason }) => reason === 'not_used') };
}

/** Keeps files that came without an event. A dump is a crash even so. */
async function finishFiles(ctx: Context, sender: Sender, intake: Intake, { items }: Envelope): Promise<void> {
  const isOfOther = items.some(({ type }) => type === 'event' || type === 'feedback');
  if (intake.hasDump) {
    const details = detailsOfEvent(null, {
      others: {},
      deviceUid: null,
      sessionId: sessionIn(items)?.sid ?? null,
      userMessage: '',
      omissions: intake.omissions,
    });
    await intake.report({ kind: 'crash', event: null, build: NO_FACTS, details });
  } else if (isOfOther) await intake.discard();
  else if (intake.openFiles !== null && !(await intake.keepAlone()))
    countSentry(ctx, { ...sender, what: 'dropped', type: 'attachment', reason: 'no_event' });
}

export const NO_FACTS = {
  release: '',
  dist: '',
  os: '',
  arch: '',
  environment: '',
  buildIds: [],
  debugIds: [],
} as const;

/** The session that the crash ended. */
function sessionIn(items: Envelope['items']): SessionUpdate | null {
  const session = items.find(({ type }) => type === 'session');
  return session === undefined ? null : sessionOf(session.value);
}

function userMessageOf(items: Envelope['items'], eventId: string | null): string {
  const reports = items.filter(({ type }) => type === 'user_report').map(({ value }) => userReportOf(value));
  return reports.find((report) => report !== null && report.eventId === eventId)?.message ?? '';
}

/** What was left out of the envelope, apart from its files. */
function omissionsOf({ dropped, isCut }: Envelope): string[] {
  const tooLarge = dropped.filter(({ type, reason }) => type !== 'attachment' && reason === 'too_large');
  return [
    ...tooLarge.map(({ type }) => `An item of type ${type} was too large and was left out.`),
    ...(isCut ? ['The report was cut off on its way.'] : []),
  ];
}

/** `POST …/store/`: one event as JSON. Throws like `receiveEnvelope`, and `unreadableBody`. */
export async function receiveStore(
  ctx: Context,
  request: SentryRequest,
  head: RequestHead,
  takeFeedback: TakeFeedback,
): Promise<Received> {
  const sender = await findSender(ctx, request, head);
  // Base64 is a third larger.
  const maxBytes = 2 * MAX_EVENT_BYTES;
  const large = largeEvents(ctx, request.ip, 'store');
  const event = await readBody(ctx, request, maxBytes, (body) => {
    const decoded = decodeBody(body, request.headers['content-encoding'], { maxBytes });
    return readWhole(decoded, maxBytes, large, async (bytes, isLarge) => {
      if (isLarge) return await large.read(bytes);
      const value = parseStoreBody(bytes);
      return value === undefined ? null : normalizeEvent(value);
    });
  }).catch((error: unknown) => {
    throw error instanceof SentryError || error instanceof BodyTooLargeError ? unreadable(error) : error;
  });
  if (event === null) throw errors.unreadableBody('The body is not an event as JSON, or is too large.');
  const { eventId } = event;
  const intake = new Intake(ctx, sender, eventId);
  const items = [{ type: 'event' as const, value: null, event }];
  const envelope = { header: {}, eventId, items, dropped: [], isCut: false, failure: undefined };
  return finish(ctx, { request, sender, intake, takeFeedback }, envelope);
}
