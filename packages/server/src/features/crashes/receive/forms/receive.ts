// Takes the forms of crash reporters: the engines’ one-shot form, and Breakpad’s and Crashpad’s.
import { MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../../context.ts';
import { receiveBody } from '../../../../kernel/body.ts';
import type { OpenedReport } from '../create.ts';
import { receiveWhole, type Whole } from '../one-shot.ts';
import { factsOfAnnotations } from './annotations.ts';
import { isFromCrashpad } from './crashpad.ts';
import { readEngineMetadata } from './engine-metadata.ts';
import { clientRefOf } from './facts.ts';
import { type CrashForm, DUMP_PART, readCrashForm } from './read-form.ts';

/** Unpacked, with all that is skipped: a dump behind a huge log is still reached, and a small body cannot unpack without end. */
const MAX_FORM_BYTES = 512 * MIB;

export type FormReport = OpenedReport & { source: 'engine' | 'breakpad' | 'crashpad' };

/** Receives the form in `request`. Throws as `receiveWhole`. */
export async function receiveForm(ctx: Context, request: FastifyRequest): Promise<FormReport> {
  let source: FormReport['source'] = 'breakpad';
  const report = await receiveWhole(ctx, request, async (keep) => {
    const dump = { part: '', filename: '' };
    const idleMs = ctx.config.uploadIdleSeconds * 1000;
    const form = await receiveBody(request.raw, { maxBytes: MAX_FORM_BYTES, idleMs }, (body) =>
      readCrashForm(body, request.headers, {
        onPart: async ({ kind, name, filename, bytes, isTruncated }) => {
          if (kind === 'dump') Object.assign(dump, { part: name, filename });
          await keep(kind, bytes, isTruncated);
        },
      }),
    );
    const whole = wholeOf(form, dump.part, request);
    source = whole.source;
    return { ...whole, clientRef: clientRefOf(dump.filename) };
  });
  return { ...report, source };
}

function wholeOf(
  form: CrashForm,
  dumpPart: string,
  request: FastifyRequest,
): Omit<Whole, 'clientRef'> & { source: FormReport['source'] } {
  const { metadata, omissions } = form;
  const query = request.query as Readonly<Record<string, unknown>>;
  const fields = withQuery(form.fields, query);
  const ids = { appId: fields.get('app_id') ?? '', buildId: fields.get('build_id') ?? '' };
  if (metadata === null) {
    const hasTheirDump = dumpPart === '' || dumpPart === DUMP_PART;
    const sender = isFromCrashpad({ headers: request.headers, query, fields: form.fields }) ? 'crashpad' : 'breakpad';
    return {
      source: hasTheirDump ? sender : 'engine',
      ids,
      facts: (omitted) => factsOfAnnotations(fields, [...omissions, ...omitted]),
    };
  }
  const said = readEngineMetadata(metadata);
  return {
    source: 'engine',
    ids: { appId: said.appId || ids.appId, buildId: said.buildId || ids.buildId },
    facts: (omitted) => said.facts([...omissions, ...omitted]),
    rawMetadata: said.raw,
  };
}

/** What Crashpad adds to the address, under the names of the annotations it is made of. */
const QUERIES = { product: 'prod', version: 'ver', guid: 'guid' } as const;

function withQuery(fields: ReadonlyMap<string, string>, query: Readonly<Record<string, unknown>>): Map<string, string> {
  const all = new Map(fields);
  for (const [name, annotation] of Object.entries(QUERIES)) {
    const value = query[name];
    if (typeof value === 'string' && !all.has(annotation)) all.set(annotation, value);
  }
  return all;
}
