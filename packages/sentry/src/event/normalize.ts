// Turns what a client sent as an event into its strict form. Any value gives an event: what can't be read is missing, and
// what is too long is cut.
import { LIMITS } from '@chauffeur/contract/limits';
import { eventIdOf } from '../ids.ts';
import { redactText } from '../privacy.ts';
import { countOf, entriesOf, fieldOf, isFields, lineOf, listOf, textOf, timeOf } from '../values.ts';
import { BREADCRUMB_LIMITS, breadcrumbsOf } from './breadcrumbs.ts';
import { DATA_LIMITS, pairsOf, tagsOf } from './data.ts';
import type { EventKind, Feedback, SentryEvent, SentryException, SentryThread, Stack, StoredEvent } from './event.ts';
import { EXCEPTION_LIMITS, exceptionsOf } from './exceptions.ts';
import { imagesOf, MAX_IMAGES } from './images.ts';
import { levelOf } from './level.ts';
import { STACK_LIMITS, stackOf, threadsOf } from './stacks.ts';
import { contextData, contextsOf, systemOf } from './system.ts';

const EVENT_LIMITS = { messageLength: 4000, nameLength: 200, fingerprintParts: 20 } as const;

/** The event. The id in the header of the envelope is that of an event without one. */
export function normalizeEvent(sent: unknown, headerId: string | null = null): SentryEvent {
  const get = (name: string) => fieldOf(sent, name);
  const budget = { frames: STACK_LIMITS.totalFrames };
  const exceptions = exceptionsOf(get('exception'), budget);
  const threads = withStack(threadsOf(get('threads'), budget), exceptions, get('stacktrace'), budget);
  const { breadcrumbs, leftOut } = breadcrumbsOf(get('breadcrumbs'));
  const contexts = contextsOf(get('contexts'));
  const images = imagesOf(get('debug_meta'));
  const platform = lineOf(get('platform'), 64).toLowerCase() || 'other';
  const sdk = { name: lineOf(fieldOf(get('sdk'), 'name'), 100), version: lineOf(fieldOf(get('sdk'), 'version'), 64) };
  const ownExtra = pairsOf(get('extra'), DATA_LIMITS.extra);
  return {
    eventId: eventIdOf(get('event_id')) ?? headerId,
    occurredAt: timeOf(get('timestamp')),
    level: levelOf(get('level')) ?? 'error',
    platform,
    release: lineOf(get('release'), EVENT_LIMITS.nameLength),
    dist: lineOf(get('dist'), 64),
    environment: lineOf(get('environment'), 64),
    transaction: redactText(lineOf(get('transaction'), EVENT_LIMITS.nameLength)).split(/[?#]/, 1)[0]!,
    message: messageOf(get('message')) || messageOf(get('logentry')),
    exceptions,
    threads,
    images,
    breadcrumbs,
    tags: tagsOf(get('tags')),
    extra: [...ownExtra, ...contextData(contexts, DATA_LIMITS.extra - ownExtra.length)],
    system: systemOf({ contexts, platform, sdk: sdk.name, images, userAgent: userAgentOf(get('request')) }),
    userId: lineOf(fieldOf(get('user'), 'id'), 128),
    fingerprint: fingerprintOf(get('fingerprint')),
    feedback: feedbackOf(fieldOf(get('contexts'), 'feedback')),
    sdk,
    omissions: omissionsOf(sent, leftOut, exceptions.length),
  };
}

/**
 * What an event is. `hasDump`: whether a minidump came with it, which decides even if the event has another level. Old
 * clients send one with `warning`.
 */
export function kindOfEvent(
  event: SentryEvent,
  sent: { readonly type?: unknown; readonly hasDump: boolean },
): EventKind {
  if (sent.type === 'transaction') return 'transaction';
  if (event.feedback !== null || sent.type === 'feedback') return 'feedback';
  const isUnhandled = event.exceptions.some(({ isHandled }) => isHandled === false);
  if (sent.hasDump || event.level === 'fatal' || isUnhandled) return 'crash';
  return event.exceptions.every((exception) => isOfMessage(event, exception)) ? 'message' : 'error';
}

/** Clients for JavaScript send the stack of a message as an exception without a type. */
function isOfMessage({ message }: SentryEvent, { type, value }: SentryException): boolean {
  return type === '' && value === message;
}

/** `ValueError: cannot load level`: what was thrown, or else the message. Empty if the event has neither. */
export function headlineOf({ exceptions: [thrown], message }: StoredEvent): string {
  if (thrown === undefined || (thrown.type === '' && thrown.value === '')) return message;
  return thrown.type === '' || thrown.value === '' ? thrown.type || thrown.value : `${thrown.type}: ${thrown.value}`;
}

/**
 * The stack in which it happened: that of the exception that was thrown, or else of the thread that crashed or sent the
 * event. Empty without one.
 */
export function mainStack({ exceptions: [thrown], threads }: StoredEvent): Stack {
  const isOf = (thread: SentryThread) => thread.stack.frames.length > 0;
  const byId = threads.find(
    (thread) => thrown !== undefined && thrown.threadId !== '' && thread.id === thrown.threadId,
  );
  const candidates = [
    thrown?.stack,
    threads.find((thread) => thread.isCrashed && isOf(thread))?.stack,
    byId?.stack,
    threads.find((thread) => thread.isCurrent && isOf(thread))?.stack,
    threads.length === 1 ? threads[0]!.stack : undefined,
  ];
  return candidates.find((stack) => stack !== undefined && stack.frames.length > 0) ?? NO_STACK;
}

const NO_STACK: Stack = { frames: [], moreFrames: 0, registers: [] };

/** Old clients send the stack of a message at the top of the event. */
function withStack(
  threads: readonly SentryThread[],
  exceptions: readonly SentryException[],
  stacktrace: unknown,
  budget: { frames: number },
): readonly SentryThread[] {
  if (stacktrace === undefined || threads.length > 0 || exceptions.length > 0) return threads;
  const stack = stackOf(stacktrace, budget);
  return stack.frames.length === 0 ? threads : [{ id: '', name: '', isCrashed: false, isCurrent: true, stack }];
}

/** A text, or an object with the text before and after its parameters were filled in. */
function messageOf(value: unknown): string {
  const text = isFields(value) ? (fieldOf(value, 'formatted') ?? fieldOf(value, 'message')) : value;
  return redactText(textOf(text, EVENT_LIMITS.messageLength)).trim();
}

function userAgentOf(request: unknown): string {
  const headers = fieldOf(request, 'headers');
  const entries = Array.isArray(headers)
    ? headers.slice(0, 50).map((pair: unknown) => (Array.isArray(pair) ? [pair[0], pair[1]] : [null, null]))
    : entriesOf(headers, 50);
  const [, value] = entries.find(([name]) => lineOf(name, 20).toLowerCase() === 'user-agent') ?? [];
  return lineOf(value, 512);
}

/** The part of a fingerprint that means the usual grouping. */
export const DEFAULT_FINGERPRINT = '{{ default }}';

/** Null for the usual grouping alone. Java sends an empty list for it. */
function fingerprintOf(value: unknown): string[] | null {
  const sent = Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
  const parts = sent
    .slice(0, EVENT_LIMITS.fingerprintParts)
    .map((part: unknown) => lineOf(part, EVENT_LIMITS.nameLength))
    .filter((part) => part !== '')
    .map((part) => (/^\{\{\s*default\s*\}\}$/.test(part) ? DEFAULT_FINGERPRINT : part));
  return parts.length === 0 || (parts.length === 1 && parts[0] === DEFAULT_FINGERPRINT) ? null : parts;
}

function feedbackOf(value: unknown): Feedback | null {
  if (!isFields(value)) return null;
  return {
    message: textOf(fieldOf(value, 'message'), LIMITS.bugMessageLength).trim(),
    name: lineOf(fieldOf(value, 'name'), 128),
    email: lineOf(fieldOf(value, 'contact_email'), 254),
    eventId: eventIdOf(fieldOf(value, 'associated_event_id')),
  };
}

/** The old form: a separate item that names its event. Null without any words. */
export function userReportOf(value: unknown): Feedback | null {
  const message = textOf(fieldOf(value, 'comments'), LIMITS.bugMessageLength).trim();
  if (message === '') return null;
  return {
    message,
    name: lineOf(fieldOf(value, 'name'), 128),
    email: lineOf(fieldOf(value, 'email'), 254),
    eventId: eventIdOf(fieldOf(value, 'event_id')),
  };
}

function omissionsOf(sent: unknown, breadcrumbs: number, exceptions: number): string[] {
  const omissions: string[] = [];
  const note = (count: number, what: string) => {
    if (count > 0) omissions.push(`${count} ${what} were left out.`);
  };
  note(breadcrumbs, `breadcrumbs before the last ${BREADCRUMB_LIMITS.breadcrumbs}`);
  note(exceptions < EXCEPTION_LIMITS.exceptions ? 0 : lengthOf(fieldOf(sent, 'exception')) - exceptions, 'exceptions');
  note(lengthOf(fieldOf(sent, 'threads')) - STACK_LIMITS.threads, 'threads');
  note((countOf(lengthOf(fieldOf(fieldOf(sent, 'debug_meta'), 'images'))) ?? 0) - MAX_IMAGES, 'images');
  return omissions;
}

function lengthOf(value: unknown): number {
  return listOf(value).length;
}
