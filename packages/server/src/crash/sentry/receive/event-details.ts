// Turns an event into the fields and the metadata of a report.

import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { headlineOf } from '@chauffeur/sentry/event/normalize';
import { readRelease } from '@chauffeur/sentry/release';
import { detailsOf, OMISSIONS_KEY } from '../../crashes/receive/details.ts';
import type { CrashDetails } from '../../crashes/report/fields.ts';

export type EventDetails = {
  /** What the client sent in another form, such as annotations. The event has precedence. */
  readonly others: CrashDetails;
  /** The device and the session in a form that may be stored; null if the client doesn't say. */
  readonly deviceUid: string | null;
  readonly sessionId: string | null;
  /** What the player wrote. */
  readonly userMessage: string;
  /** Sentences about what was left out, besides those of the event. */
  readonly omissions: readonly string[];
};

/** The details of a report with this event; null for a dump without one. */
export function detailsOfEvent(
  event: SentryEvent | null,
  { others, deviceUid, sessionId, userMessage, omissions }: EventDetails,
): CrashDetails {
  const { [OMISSIONS_KEY]: earlier, ...further } = others.metadata ?? {};
  const omitted = [...(typeof earlier === 'string' ? [earlier] : []), ...(event?.omissions ?? []), ...omissions];
  const { app } = readRelease(event?.release ?? '');
  return detailsOf({
    app_name: app || others.app_name,
    app_version: others.app_version,
    engine_version: event?.system.engineVersion || others.engine_version,
    os: event?.system.os || others.os,
    arch: event?.system.arch || others.arch,
    message: (event === null ? '' : headlineOf(event)) || others.message,
    user_message: userMessage || others.user_message,
    device_uid: deviceUid ?? others.device_uid,
    session_id: sessionId ?? others.session_id,
    further: [...(event === null ? [] : metadataOf(event)), ...Object.entries(further)],
    omissions: omitted,
  });
}

/** The facts that facets are read from come first, so that they are never left out. */
function metadataOf(event: SentryEvent): (readonly [string, unknown])[] {
  const { release, dist, environment, transaction, sdk, system, tags, extra } = event;
  const texts = [
    ['release', release],
    ['dist', dist],
    ['environment', environment],
    ['transaction', transaction],
    ['sdk', `${sdk.name} ${sdk.version}`.trim()],
  ] as const;
  return [...system.facts, ...texts.filter(([, text]) => text !== ''), ...tags, ...extra];
}
