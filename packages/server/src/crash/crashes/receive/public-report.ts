// What the sender of a report may read of it: its state, reason and stack.
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicCrash } from '@chauffeur/contract/operations/crashes';
import type { Context } from '../../../context.ts';
import { findGame } from '../../../people/games/games.sql.ts';
import { hashOfClientRef } from './create.ts';
import { clientRefOf } from './forms/details.ts';
import { findByClientRef, findPublicReport, type PublicFrame, type PublicReportRow } from './reports.sql.ts';
import { openToken } from './tokens.ts';

export type PublicReport = OutputOf<typeof getPublicCrash>;

/** A report, and how its sender was authenticated: by the read token, or by the client's own id. */
export type Reader = { kind: 'token' | 'client'; report: PublicReportRow };

/**
 * Finds a report: with a token by its id, without one by the client's own id. The latter is a secret of the client.
 * Only its hash is stored and looked up, so response times reveal nothing about it. Throws `notFound`.
 */
export async function findReader(ctx: Context, id: string, token: string): Promise<Reader> {
  const grant = token === '' ? null : openToken(ctx, token);
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
export function publicReportOf({ report }: Reader): PublicReport {
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
export function publicStackOf({ report }: Reader): string | null {
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
