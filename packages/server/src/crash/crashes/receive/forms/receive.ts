// Receives the forms of crash reporters: of engines, Breakpad and Crashpad.
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../../context.ts';
import { receiveBody } from '../../../../request/body.ts';
import type { OpenedReport } from '../create.ts';
import { type ReportBody, receiveWhole } from '../one-shot.ts';
import { detailsOfAnnotations } from './annotations.ts';
import { isFromCrashpad } from './crashpad.ts';
import { clientRefOf } from './details.ts';
import { readEngineMetadata } from './engine-metadata.ts';
import { type CrashForm, DUMP_PART, readCrashForm } from './read-form.ts';

/** Including skipped parts: enough to reach a dump after a huge log. */
const MAX_FORM_BYTES = 512 * MIB;
/**
 * The limit of a compressed form, which may be a thousand times as large as what was sent: all that is kept of a
 * report, with room for its fields.
 */
const MAX_UNPACKED_BYTES = 2 * LIMITS.crashFileBytes + LIMITS.crashAttachmentsBytes + 8 * MIB;

export type FormReport = OpenedReport & { source: 'engine' | 'breakpad' | 'crashpad' };

/** Receives the form in `request`. Throws like `receiveWhole`. */
export async function receiveForm(ctx: Context, request: FastifyRequest): Promise<FormReport> {
  let source: FormReport['source'] = 'breakpad';
  const report = await receiveWhole(ctx, request, async (keep, attachments) => {
    const dump = { part: '', filename: '' };
    const idleMs = ctx.config.uploadIdleSeconds * 1000;
    const maxBytes = request.headers['content-encoding'] === undefined ? MAX_FORM_BYTES : MAX_UNPACKED_BYTES;
    const form = await receiveBody(request.raw, { maxBytes, idleMs }, (body) =>
      readCrashForm(body, request.headers, {
        onPart: async ({ kind, name, filename, bytes, isTruncated }) => {
          if (kind === 'dump') Object.assign(dump, { part: name, filename });
          if (kind === 'attachment') await attachments.keep(filename || name, bytes, isTruncated);
          else await keep(kind, bytes, isTruncated);
        },
        onLeftOut: (name) => attachments.leaveOut(name),
      }),
    );
    const content = bodyOf(form, dump.part, request);
    source = content.source;
    return { ...content, clientRef: clientRefOf(dump.filename) };
  });
  return { ...report, source };
}

function bodyOf(
  form: CrashForm,
  dumpPart: string,
  request: FastifyRequest,
): Omit<ReportBody, 'clientRef'> & { source: FormReport['source'] } {
  const { metadata, omissions } = form;
  const query = request.query as Readonly<Record<string, unknown>>;
  const fields = withQuery(form.fields, query);
  const ids = { appId: fields.get('app_id') ?? '', buildId: fields.get('build_id') ?? '' };
  if (metadata === null) {
    const isDefaultPart = dumpPart === '' || dumpPart === DUMP_PART;
    const sender = isFromCrashpad({ headers: request.headers, query, fields: form.fields }) ? 'crashpad' : 'breakpad';
    return {
      source: isDefaultPart ? sender : 'engine',
      ids,
      details: (lost) => detailsOfAnnotations(fields, [...omissions, ...lost]),
    };
  }
  const content = readEngineMetadata(metadata);
  return {
    source: 'engine',
    ids: { appId: content.appId || ids.appId, buildId: content.buildId || ids.buildId },
    details: (lost) => content.details([...omissions, ...lost]),
    rawMetadata: content.raw,
  };
}

/** The query parameters that Crashpad adds, and the annotations that they are copied from. */
const QUERY_ANNOTATIONS = { product: 'prod', version: 'ver', guid: 'guid' } as const;

function withQuery(fields: ReadonlyMap<string, string>, query: Readonly<Record<string, unknown>>): Map<string, string> {
  const all = new Map(fields);
  for (const [name, annotation] of Object.entries(QUERY_ANNOTATIONS)) {
    const value = query[name];
    if (typeof value === 'string' && !all.has(annotation)) all.set(annotation, value);
  }
  return all;
}
