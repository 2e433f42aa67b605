// Reads the trace of a report with the source maps and mappings of its game: the frames of minified scripts and of renamed
// Java get the names and lines of the sources before the trace is grouped.
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import type { Context } from '../../../context.ts';
import { type Resolved, resolveEvent, resolveScripts } from '../../symbols/mappings/resolve.ts';
import type { GroupingRow } from '../report/jobs.ts';
import { traceOfReport } from '../text/find-trace.ts';
import { javascript } from '../text/formats/javascript.ts';
import { framesInText, withSources } from '../text/script-places.ts';
import type { Trace } from '../text/trace.ts';

type Report = Pick<GroupingRow, 'build_id' | 'app_version' | 'message' | 'metadata'>;

/** The event of a report, resolved. */
export function resolveEventOf(
  ctx: Context,
  gameId: string,
  { build_id: buildId, app_version: version }: Pick<Report, 'build_id' | 'app_version'>,
  event: SentryEvent,
): Promise<Resolved<SentryEvent>> {
  return resolveEvent(ctx, { gameId, buildId, version }, event);
}

/** The trace in the texts of a report. One of JavaScript is read again from the texts with the places in the sources. */
export async function resolveTextTrace(ctx: Context, gameId: string, report: Report): Promise<Resolved<Trace | null>> {
  const trace = traceOfReport(report);
  if (trace?.format !== javascript.name) return { value: trace, missing: [] };
  const { build_id: buildId, app_version: version, message, metadata } = report;
  const texts = [['', message], ...Object.entries(metadata)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const stacks = texts.map(([, text]) =>
    framesInText(text).map((frame) => (frame === null ? null : { ...frame, debugId: '' })),
  );
  // A line that isn't a frame, such as of a message, has no place.
  const origin = { gameId, buildId, version, release: '', dist: '' };
  const { value, ...rest } = await resolveScripts(ctx, origin, stacks);
  if (!value.flat().some((place) => place !== null)) return { value: trace, ...rest };
  const resolved = texts.map(([key, text], index) => [key, withSources(text, value[index]!)] as const);
  const { '': newMessage = message, ...changed } = Object.fromEntries(resolved);
  return { value: traceOfReport({ message: newMessage, metadata: { ...metadata, ...changed } }), ...rest };
}
