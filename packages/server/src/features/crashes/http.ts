// The routes of games’ crash reporters: JSON, the forms of other reporters, Unreal’s archive, upload addresses, and reading back.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { createCrash } from '@chauffeur/contract/operations/crashes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../../context.ts';
import { countPublicPost } from '../../kernel/address-limit.ts';
import { type Answer, answer } from '../../kernel/answer.ts';
import { bodyDeadlineMs } from '../../kernel/bytes-parser.ts';
import { idsOf } from '../../kernel/client-ids.ts';
import { readJsonBody } from '../../kernel/json-body.ts';
import { resolveClientIds } from '../games/games.ts';
import { accept } from './receive/accept.ts';
import { type Arrival, createReport, type OpenedReport, refuse } from './receive/create.ts';
import { receiveForm } from './receive/forms/receive.ts';
import { findReader, publicReportOf, publicStackOf } from './receive/public-report.ts';
import { receiveUnreal } from './receive/unreal/receive.ts';
import { isForm, receiveUpload } from './receive/upload.ts';

/** `POST …/public/crashes`: JSON, or the form of a crash reporter. */
export async function receiveCrash(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer<unknown> | FastifyReply> {
  countPost(ctx, request);
  if (!isForm(request)) {
    const body = await readJsonBody(request, { deadlineMs: bodyDeadlineMs(ctx.config) });
    return answer(201, createdOf(await createReport(ctx, await jsonReportOf(ctx, request, body))));
  }
  const report = await receiveForm(ctx, request);
  if (report.source === 'engine') return answer(201, createdOf(report));
  // Crashpad on Linux takes no status but 200, and keeps the body as the report’s id.
  return reply.code(200).header('content-type', 'text/plain; charset=utf-8').send(report.reportId);
}

/** `POST …/public/crashes/unreal`. */
export async function receiveUnrealCrash(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
): Promise<Answer<unknown>> {
  countPost(ctx, request);
  return answer(201, createdOf(await receiveUnreal(ctx, request)));
}

/** `PUT …/public/crashes/uploads/{token}`. */
export async function receiveCrashFile(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  _reply: FastifyReply,
  { token }: { token: string },
): Promise<Answer<unknown>> {
  return answer(200, await receiveUpload(ctx, token, request));
}

type ReadInput = { id: string; read_token?: string };

/** `GET …/public/crashes/{id}`: enveloped for who has a read token, plain for an engine’s side-car, which expects it so. */
export async function getPublicCrash(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  input: ReadInput,
): Promise<Answer<unknown> | FastifyReply> {
  const reader = await findReader(ctx, input.id, readTokenOf(request, input));
  reply.header('cache-control', 'no-store');
  const report = publicReportOf(reader);
  if (reader.kind === 'token') return answer(200, report);
  return reply.code(200).send({ ...report, id: input.id });
}

/** `GET …/public/crashes/{id}/stack`. Until there is one: 4090 for who has a read token, 4040 for a side-car, which asks again. */
export async function getPublicStack(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  input: ReadInput,
): Promise<FastifyReply> {
  const reader = await findReader(ctx, input.id, readTokenOf(request, input));
  const stack = publicStackOf(reader);
  if (stack === null) {
    const code = reader.kind === 'token' ? 4090 : 4040;
    throw new ApiError(
      code,
      'The report has no stack, or not yet: its dump may still have to come or to be processed.',
    );
  }
  return reply
    .code(200)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(stack);
}

function readTokenOf(request: FastifyRequest, { read_token = '' }: ReadInput): string {
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

async function jsonReportOf(ctx: Context, request: FastifyRequest, body: unknown): Promise<Arrival> {
  const verdict = accept({ ...(await resolveClientIds(ctx, idsOf(request))), body });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  return { ...verdict.accepted, source: 'api' };
}

function createdOf({ reportId, readToken, uploads }: OpenedReport): OutputOf<typeof createCrash> {
  return { id: reportId, read_token: readToken, uploads };
}
