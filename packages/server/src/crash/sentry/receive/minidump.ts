// Receives forms with a minidump, as Crashpad and Breakpad send them to `/minidump/`, and the archives of Unreal's
// CrashReportClient.

import type { RequestHead } from '@chauffeur/sentry/dsn/credentials';
import { decodeBody } from '@chauffeur/sentry/encoding';
import { collectBytes } from '@chauffeur/sentry/envelope/collect';
import {
  eventOfForm,
  eventOfUnreal,
  isEventField,
  isEventFile,
  isEventPart,
  MAX_EVENT_PART_BYTES,
} from '@chauffeur/sentry/envelope/form-parts';
import { SentryError } from '@chauffeur/sentry/error';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { normalizeEvent } from '@chauffeur/sentry/event/normalize';
import { eventIdOf } from '@chauffeur/sentry/ids';
import { buildIdOf } from '@chauffeur/sentry/release';
import type { Context } from '../../../context.ts';
import { type Body, BodyTooLargeError, receiveBody } from '../../../request/body.ts';
import { detailsOfAnnotations } from '../../crashes/receive/details.ts';
import { MAX_FORM_BYTES, readCrashForm } from '../../crashes/receive/form.ts';
import { detailsOfContext, elementOf, readUnrealBody } from '../../crashes/receive/unreal.ts';
import type { CrashDetails } from '../../crashes/report/fields.ts';
import { deviceUidOf } from '../sentry.ts';
import { type BuildFacts, buildFactsOf } from './choose-build.ts';
import { NO_FACTS, type Received } from './envelope.ts';
import { detailsOfEvent } from './event-details.ts';
import { Intake } from './intake.ts';
import { findSender, type SentryRequest } from './sender.ts';

/** The guid that Crashpad makes for a report, as it was sent; empty if there is none. */
export type ReceivedDump = Received & { readonly guid: string };

/** `POST …/minidump/`. Throws `unknownDsn`, `limitReached`, and `unreadableBody` for a body that isn't a form. */
export async function receiveMinidump(ctx: Context, request: SentryRequest, head: RequestHead): Promise<ReceivedDump> {
  const sender = await findSender(ctx, request, head);
  const queryId = head.query.get('guid') ?? '';
  const intake = new Intake(ctx, sender, eventIdOf(queryId));
  const parts = new Map<string, Uint8Array>();
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  const options = { encoding: 'raw', maxBytes: MAX_FORM_BYTES, idleMs } as const;
  const readForm = (body: Body) =>
    readCrashForm(decoded(body, request.headers['content-encoding']), request.headers, {
      onPart: async ({ kind, name, filename, bytes, isTruncated }) => {
        const files = await intake.files();
        if (kind === 'attachment') await files.attach.keep(filename || name, bytes, isTruncated);
        // Programs also send what isn't a dump as one, and then the event alone has the stack.
        else if (kind === 'dump') await files.keepDump(filename || `${name}.dmp`, bytes, isTruncated);
        else await files.keep(kind, bytes, isTruncated);
      },
      onOther: ({ name, bytes }) =>
        isEventPart(name)
          ? async () => {
              const part = isEventFile(name) ? await collectBytes(bytes, MAX_EVENT_PART_BYTES) : null;
              if (part !== null) parts.set(name, part);
            }
          : null,
      onLeftOut: (name) => void intake.openFiles?.attach.leaveOut(name),
    });
  const form = await intake.receive(() => receiveBody(request.raw, options, readForm));
  const guid = queryId || (form.fields.get('guid') ?? '');
  const sent = eventOfForm({ fields: form.fields, files: parts });
  const hasEvent = Object.keys(sent).length > 0;
  const event = hasEvent ? normalizeEvent(sent, eventIdOf(guid)) : null;
  const annotations = new Map([...form.fields].filter(([name]) => !isEventField(name)));
  const others = detailsOfAnnotations(annotations, form.omissions);
  const { id } = await reportCrash(ctx, intake, {
    event,
    others,
    build: withAnnotations(event === null ? NO_FACTS : buildFactsOf(event), others, annotations),
    eventId: event?.eventId ?? eventIdOf(guid),
  });
  return { sender, id, guid: eventIdOf(guid) === null ? '' : guid.trim(), hasUnused: false };
}

/** Crashpad alone sends the version of the program, and nothing that Sentry's SDKs would. */
function withAnnotations(
  facts: BuildFacts,
  { app_version = '', os = '', arch = '' }: CrashDetails,
  annotations: ReadonlyMap<string, string>,
): BuildFacts {
  const buildId = buildIdOf(annotations.get('build_id') ?? '');
  return {
    ...facts,
    release: facts.release || app_version,
    os: facts.os || os.toLowerCase(),
    arch: facts.arch || arch.toLowerCase(),
    buildIds: buildId === null ? facts.buildIds : [buildId, ...facts.buildIds],
  };
}

/** The bytes of a form as the parser needs them. */
function decoded(body: Body, contentEncoding: string | undefined): Body {
  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    try {
      yield* decodeBody(body, contentEncoding, { maxBytes: MAX_FORM_BYTES });
    } catch (error) {
      // What arrived before is read.
      if (error instanceof SentryError && error.code === 'too-large') throw new BodyTooLargeError(MAX_FORM_BYTES);
      throw error;
    }
  }
  return { [Symbol.asyncIterator]: bytes, fail: (reason) => body.fail(reason) };
}

type Crash = {
  readonly event: SentryEvent | null;
  readonly others: CrashDetails;
  readonly build: BuildFacts;
  readonly eventId: string | null;
};

async function reportCrash(
  ctx: Context,
  intake: Intake,
  { event, others, build, eventId }: Crash,
): Promise<{ id: string | null }> {
  const details = detailsOfEvent(event, {
    others,
    deviceUid: event === null ? null : deviceUidOf(ctx, event.userId),
    sessionId: null,
    userMessage: '',
    omissions: intake.omissions,
  });
  await intake.report({ kind: 'crash', event, build, details }, eventId);
  return { id: eventId };
}

/** `POST …/unreal/{key}/`. Throws `unknownDsn`, `limitReached`, and `unreadableBody` for a body that isn't an archive. */
export async function receiveUnrealArchive(ctx: Context, request: SentryRequest, head: RequestHead): Promise<Received> {
  const sender = await findSender(ctx, request, head);
  const intake = new Intake(ctx, sender, null);
  const files = await intake.files();
  const xml = await intake.receive(() => readUnrealBody(ctx, request, files.keep, files.attach));
  const sent = eventOfUnreal(elementOf(xml, '__sentry'));
  const event = sent === undefined ? null : normalizeEvent(sent, eventIdOf(elementOf(xml, 'CrashGUID')));
  const others = detailsOfContext(xml, []);
  const eventId =
    event?.eventId ??
    eventIdOf(
      elementOf(xml, 'CrashGUID')
        .replace(/^UE4?CC-\w+-/i, '')
        .slice(0, 32),
    );
  const facts = event === null ? NO_FACTS : buildFactsOf(event);
  const version = elementOf(xml, 'BuildVersion');
  const build = withAnnotations(facts, { ...others, app_version: version }, new Map());
  const { id } = await reportCrash(ctx, intake, { event, others, build, eventId });
  return { sender, id, hasUnused: false };
}
