// The handlers for crash reporters: reports as JSON, form or Unreal archive, uploads, and the status of a report.
import { hash } from 'node:crypto';
import { ApiError, CODES, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/crash-reports';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { type Db, row } from '../../kernel/database/db.ts';
import { resolveClientIds } from '../../people/client-ids/client-ids.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { countPublicPost } from '../../request/address-limit.ts';
import { idempotencyKeyOf, idsOf } from '../../request/client-ids.ts';
import { readJsonBody } from '../../request/json.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { acceptReport } from './receive/accept.ts';
import {
  createReport,
  hashOfClientRef,
  type Idempotency,
  type IncomingReport,
  type OpenedReport,
  refuseReport,
} from './receive/create.ts';
import { clientRefOf } from './receive/details.ts';
import { receiveForm } from './receive/form.ts';
import { createOnce } from './receive/once.ts';
import { openFileToken } from './receive/tokens.ts';
import { receiveUnreal } from './receive/unreal.ts';
import { isForm, receiveReportFile } from './receive/upload.ts';

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
  return answer(200, await receiveReportFile(ctx, token, request));
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
  const ids = await resolveClientIds(ctx, idsOf(request));
  const verdict = acceptReport({ ...ids, body });
  if ('refused' in verdict) throw refuseReport(ctx, verdict.refused, ids);
  return { ...verdict.accepted, source: 'api' };
}

/** Prefixed, so that it is never the hash of a client's own id, which gives access to its report. */
function idempotencyOf(key: string, request: unknown): Idempotency {
  return { keyHash: hash('sha256', `idempotency key ${key}`), requestHash: hash('sha256', JSON.stringify(request)) };
}

function createdOf({ reportId, readToken, uploads }: OpenedReport): OutputOf<typeof contract.createCrash> {
  return { id: reportId, read_token: readToken, uploads };
}

export type PublicReport = OutputOf<typeof contract.getPublicCrash>;

/** A report, and how its sender was authenticated: by the read token, or by the client's own id. */
export type ReportReader = { kind: 'token' | 'client'; report: PublicReportRow };

/**
 * Finds a report: with a token by its id, without one by the client's own id. The latter is a secret of the client.
 * Only its hash is stored and looked up, so response times reveal nothing about it. Throws `notFound`.
 */
export async function findReader(ctx: Context, id: string, token: string): Promise<ReportReader> {
  const grant = token === '' ? null : openFileToken(ctx, token);
  if (grant?.allows === 'read' && grant.reportId === id.toLowerCase()) {
    const report = await findPublicReport(ctx.db, grant.gameId, grant.reportId);
    if (report !== undefined && (await isOfExistingGame(ctx, report))) return { kind: 'token', report };
  }
  const clientRef = token === '' ? clientRefOf(id) : null;
  if (clientRef !== null) {
    const report = await findByClientRef(ctx.db, Buffer.from(hashOfClientRef(clientRef), 'hex'));
    if (report !== undefined && (await isOfExistingGame(ctx, report))) return { kind: 'client', report };
  }
  throw errors.notFound('There is no such report, or the read token belongs to another report.');
}

/** Reports outlive a deleted game for a while. */
async function isOfExistingGame(ctx: Context, { game_id: gameId }: PublicReportRow): Promise<boolean> {
  return (await findGame(ctx.db, gameId)) !== null;
}

/** The state and the analysis, which is null until the report is processed. */
export function publicReportOf({ report }: ReportReader): PublicReport {
  const isDone = report.state === 'processed' || report.state === 'failed';
  return {
    id: report.report_id,
    app_id: report.game_id,
    build_id: report.build_id,
    state: report.state,
    analysis: isDone ? { crash_reason: report.reason, crash_address: report.crash_address } : null,
  };
}

/** The crashed thread with a line for each frame; null if there is none yet. */
export function publicStackOf({ report }: ReportReader): string | null {
  const { frames } = report;
  if (frames === null || frames.length === 0) return null;
  const head = [report.reason ?? 'Crash', ...(report.crash_address === null ? [] : [report.crash_address])].join(
    ' at ',
  );
  return `${[head, '', ...frames.map(formatFrame)].join('\n')}\n`;
}

/** `3  game!Player::move  player.cpp:12`. Guessed frames are marked. */
function formatFrame({ function: name, module, file, line, offset, trust }: PublicFrame, index: number): string {
  const code = name ?? (offset === null ? '(unknown)' : offset);
  const place = file === null ? '' : `  ${file}${line === null ? '' : `:${line}`}`;
  const guess = trust === 'scan' ? '  (guessed)' : '';
  return `${String(index).padStart(2)}  ${module === null ? '' : `${module}!`}${code}${place}${guess}`;
}

/** What the sender of a report may read of it. */
export type PublicReportRow = {
  game_id: string;
  report_id: string;
  build_id: string;
  state: 'received' | 'queued' | 'processing' | 'processed' | 'failed';
  reason: string | null;
  crash_address: string | null;
  frames: readonly PublicFrame[] | null;
};

export type PublicFrame = {
  function: string | null;
  module: string | null;
  file: string | null;
  line: number | null;
  offset: string | null;
  trust: string;
  inlined: boolean;
};

const publicColumns = sql.raw('game_id, report_id, build_id, state, reason, crash_address, frames');

export function findPublicReport(db: Db, gameId: string, reportId: string): Promise<PublicReportRow | undefined> {
  return row(
    db,
    sql<PublicReportRow>`select ${publicColumns} from crash_reports where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

/** Finds the newest report by the hash of the client's own id. Such clients do not say which game it is. */
export function findByClientRef(db: Db, hash: Buffer): Promise<PublicReportRow | undefined> {
  return row(
    db,
    sql<PublicReportRow>`select ${publicColumns} from crash_reports
      where client_ref_hash = ${hash} order by report_id desc limit 1`,
  );
}
