// The handlers for crash reporters: reports as JSON, form or Unreal archive, uploads, and the status of a report.
import { hash } from 'node:crypto';
import { ApiError, CODES } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/crashes';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { resolveClientIds } from '../../people/client-ids/client-ids.ts';
import { countPublicPost } from '../../request/address-limit.ts';
import { idempotencyKeyOf, idsOf } from '../../request/client-ids.ts';
import { readJsonBody } from '../../request/json.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { accept } from './receive/accept.ts';
import { createReport, type Idempotency, type IncomingReport, type OpenedReport, refuse } from './receive/create.ts';
import { receiveForm } from './receive/forms/receive.ts';
import { createOnce } from './receive/once.ts';
import { findReader, publicReportOf, publicStackOf } from './receive/public-report.ts';
import { receiveUnreal } from './receive/unreal/receive.ts';
import { isForm, receiveUpload } from './receive/upload.ts';

/** `POST …/public/crashes`: JSON, or the form of a crash reporter. */
export const receiveCrash = stream(contract.createCrash, async (ctx, { request, reply }) => {
  countPost(ctx, request);
  if (!isForm(request)) {
    const key = idempotencyKeyOf(request, CODES.unreadableBody);
    const body = await readJsonBody(ctx, contract.createCrash, request);
    const report = await jsonReportOf(ctx, request, body);
    if (key === null) return answer(201, createdOf(await createReport(ctx, report)));
    const idempotency = idempotencyOf(key, [report.buildId, body]);
    return answer(201, createdOf(await createOnce(ctx, { ...report, idempotency })));
  }
  const report = await receiveForm(ctx, request);
  if (report.source === 'engine') return answer(201, createdOf(report));
  // Crashpad on Linux only accepts the status 200, and stores the body as the id of the report.
  return reply.code(200).header('content-type', 'text/plain; charset=utf-8').send(report.reportId);
});

/** `POST …/public/crashes/unreal`. */
export const receiveUnrealCrash = stream(contract.createUnrealCrash, async (ctx, { request }) => {
  countPost(ctx, request);
  return answer(201, createdOf(await receiveUnreal(ctx, request)));
});

/** `PUT …/public/crashes/uploads/{token}`. */
export const receiveCrashFile = stream(contract.uploadCrashFile, async (ctx, { input: { token }, request }) => {
  return answer(200, await receiveUpload(ctx, token, request));
});

/**
 * `GET …/public/crashes/{id}`. With a read token the response has the usual envelope. The crash reporters of engines
 * send no token and expect a response without an envelope.
 */
export const getPublicCrash = stream(contract.getPublicCrash, async (ctx, { input, request, reply }) => {
  const reader = await findReader(ctx, input.id, readTokenOf(request, input));
  reply.header('cache-control', 'no-store');
  const report = publicReportOf(reader);
  if (reader.kind === 'token') return answer(200, report);
  return reply.code(200).send({ ...report, id: input.id });
});

/**
 * `GET …/public/crashes/{id}/stack`. Until there is a stack, throws `noSuchCrashFile` with a read token and `notFound`
 * without one, because the crash reporters of engines retry after a 404.
 */
export const getPublicStack = stream(contract.getPublicStack, async (ctx, { input, request, reply }) => {
  const reader = await findReader(ctx, input.id, readTokenOf(request, input));
  const stack = publicStackOf(reader);
  if (stack === null) {
    const code = reader.kind === 'token' ? CODES.noSuchCrashFile : CODES.notFound;
    throw new ApiError(code, 'The report has no stack yet: its dump has not arrived or is not processed.');
  }
  return reply
    .code(200)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(stack);
});

function readTokenOf(request: FastifyRequest, { read_token = '' }: { read_token?: string }): string {
  const header = request.headers['x-read-token'];
  return typeof header === 'string' && header !== '' ? header.trim() : read_token;
}

function countPost(ctx: Context, request: FastifyRequest): void {
  try {
    countPublicPost(ctx, request);
  } catch (error) {
    ctx.metrics.crashRefusals.inc({ rule: 'address_limit' });
    throw error;
  }
}

async function jsonReportOf(ctx: Context, request: FastifyRequest, body: unknown): Promise<IncomingReport> {
  const verdict = accept({ ...(await resolveClientIds(ctx, idsOf(request))), body });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  return { ...verdict.accepted, source: 'api' };
}

/** Prefixed, so that it is never the hash of a client's own id, which gives access to its report. */
function idempotencyOf(key: string, request: unknown): Idempotency {
  return { keyHash: hash('sha256', `idempotency key ${key}`), requestHash: hash('sha256', JSON.stringify(request)) };
}

function createdOf({ reportId, readToken, uploads }: OpenedReport): OutputOf<typeof contract.createCrash> {
  return { id: reportId, read_token: readToken, uploads };
}
