// The event of a report for developers. Its response is limited in size, whatever the event contains. Frames have the
// names by which the report is grouped.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrash } from '@chauffeur/contract/operations/crash-reports';
import { isAtLeast, type Role } from '@chauffeur/contract/roles';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import type { Breadcrumb, SentryFrame, Stack, StoredEvent } from '@chauffeur/sentry/event/event';
import { mainStack } from '@chauffeur/sentry/event/normalize';
import { chainOf, type Language } from '@chauffeur/sentry/grouping';
import { ImageMap } from '@chauffeur/sentry/native-stack';
import { SECOND } from '../../../kernel/clock.ts';
import { framesOf } from '../text/event-trace.ts';
import { TRACE_LIMITS, type TraceFrame } from '../text/trace.ts';

type Event = NonNullable<OutputOf<typeof getCrash>['event']>;
type EventStack = Pick<Event['threads'][number], 'frames' | 'more_frames'>;
type EventFrame = EventStack['frames'][number];

export const EVENT_LIMITS = {
  /** Frames of all exceptions together, and of each thread. */
  exceptionFrames: 1000,
  threadFrames: 30,
  /** Frames with source lines, the innermost of each exception first, and lines before and after each. */
  sources: 60,
  context: 5,
} as const;

/** Breadcrumbs say what a player did, so only some members see them. */
const BREADCRUMB_ROLE: Role = 'triager';

/** The event as a member with this role sees it. */
export function eventOf(event: StoredEvent, role: Role): Event {
  const stacks = new StackReader(event);
  const { exceptions, threads } = event;
  return {
    occurred_at: timeOf(event.occurredAt),
    level: event.level,
    platform: event.platform,
    release: event.release,
    environment: event.environment,
    transaction: event.transaction,
    sdk: [event.sdk.name, event.sdk.version].filter((text) => text !== '').join(' '),
    fingerprint: event.fingerprint === null ? null : [...event.fingerprint],
    exceptions: exceptions.map(({ relation, type, value, mechanism, isHandled, stack }, index) => ({
      relation,
      type,
      message: value,
      mechanism,
      is_handled: isHandled,
      // Some clients, such as that of Rust, send the only stack with a thread.
      ...stacks.ofException(index === 0 && stack.frames.length === 0 ? mainStack(event) : stack),
    })),
    threads: threads.slice(0, LIMITS.eventThreads).map(({ id, name, isCrashed, stack }) => ({
      name: name || id,
      is_crashed: isCrashed,
      ...stacks.ofThread(stack),
    })),
    more_threads: Math.max(0, threads.length - LIMITS.eventThreads),
    breadcrumbs: isAtLeast(role, BREADCRUMB_ROLE) ? event.breadcrumbs.map((each) => breadcrumbOf(each, event)) : null,
    omissions: [...event.omissions],
  };
}

function breadcrumbOf(
  { time, level, type, category, message, data }: Breadcrumb,
  { occurredAt }: StoredEvent,
): NonNullable<Event['breadcrumbs']>[number] {
  return {
    timestamp: timeOf(time),
    seconds_before: time === null || occurredAt === null ? null : (occurredAt - time) / SECOND,
    level,
    category: category || type,
    message,
    data: Object.fromEntries(data),
  };
}

/** Null for a time that no calendar has. */
function timeOf(time: number | null): string | null {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Reads the stacks of an event with what is left of the limits. */
class StackReader {
  readonly #event: StoredEvent;
  readonly #images: ImageMap;
  readonly #language: Language;
  #frames: number = EVENT_LIMITS.exceptionFrames;
  #sources: number = EVENT_LIMITS.sources;

  constructor(event: StoredEvent) {
    this.#event = event;
    this.#images = new ImageMap(event.images);
    this.#language = chainOf(event)?.language ?? 'other';
  }

  ofException(stack: Stack): EventStack {
    const read = this.#read(stack, this.#frames, true);
    this.#frames -= read.frames.length;
    return read;
  }

  ofThread(stack: Stack): EventStack {
    return this.#read(stack, EVENT_LIMITS.threadFrames, this.#event.exceptions.length === 0);
  }

  #read(stack: Stack, limit: number, hasSources: boolean): EventStack {
    const shown = { ...stack, frames: stack.frames.slice(0, limit) };
    const traced = framesOf(shown, this.#event, this.#images, this.#language);
    return {
      frames: shown.frames.map((sent, index) => this.#frameOf(sent, traced[index]!, hasSources)),
      more_frames: stack.moreFrames + stack.frames.length - shown.frames.length,
    };
  }

  #frameOf(sent: SentryFrame, traced: TraceFrame, hasSources: boolean): EventFrame {
    const source = hasSources && this.#sources > 0 ? sourceOf(sent) : null;
    if (source !== null) this.#sources -= 1;
    return {
      function: nameOf(traced.function),
      module: nameOf(traced.module),
      offset: traced.offset,
      file: nameOf(traced.file),
      line: traced.line,
      column: traced.column,
      trust: 'text',
      inlined: false,
      own: traced.own,
      in_app: sent.isInApp,
      source,
    };
  }
}

function nameOf(text: string | null): string | null {
  return text === null ? null : cutTo(toPrintable(text), TRACE_LIMITS.nameLength) || null;
}

/** The source lines of a frame as they are shown. */
export function sourceOf({ source, line }: Pick<SentryFrame, 'source' | 'line'>): EventFrame['source'] {
  if (source === null) return null;
  const before = source.before.slice(-EVENT_LIMITS.context);
  const after = source.after.slice(0, EVENT_LIMITS.context);
  return {
    first_line: line === null ? null : Math.max(1, line - before.length),
    at: before.length,
    lines: [...before, source.line, ...after],
  };
}
