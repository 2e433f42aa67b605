// What the sender of a report may read of it: its state, the reason and the stack, and nothing more.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicCrash } from '@chauffeur/contract/operations/crashes';
import type { Context } from '../../../context.ts';
import { hashOfClientRef } from './create.ts';
import { clientRefOf } from './forms/facts.ts';
import { findByClientRef, findPublicReport, type PublicFrame, type PublicReportRow } from './reports.sql.ts';
import { openToken } from './tokens.ts';

export type PublicReport = OutputOf<typeof getPublicCrash>;

/** How the reader shows that the report is theirs: by the token of the 201, or by an id that only its client knows. */
export type Reader = { kind: 'token' | 'client'; report: PublicReportRow };

/**
 * The report that `id` names. With a token it is our id; without one it is the client’s own, which is its secret: only its hash is
 * stored and looked up, so the time that takes tells nothing of it. Throws 4040.
 */
export async function findReader(ctx: Context, id: string, token: string): Promise<Reader> {
  const grant = token === '' ? null : openToken(ctx, token);
  if (grant?.allows === 'read' && grant.reportId === id.toLowerCase()) {
    const report = await findPublicReport(ctx.db, grant.gameId, grant.reportId);
    if (report !== undefined) return { kind: 'token', report };
  }
  const clientRef = token === '' ? clientRefOf(id) : null;
  if (clientRef !== null) {
    const report = await findByClientRef(ctx.db, Buffer.from(hashOfClientRef(clientRef), 'hex'));
    if (report !== undefined) return { kind: 'client', report };
  }
  throw new ApiError(4040, 'There is no such report, or the read token is not its own.');
}

/** State and analysis; the analysis is null until the report is processed. */
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

/** The crashed thread, a line for each frame; null while there is none. */
export function publicStackOf({ report }: Reader): string | null {
  const { frames } = report;
  if (frames === null || frames.length === 0) return null;
  const head = [report.reason ?? 'Crash', ...(report.crash_address === null ? [] : [report.crash_address])].join(
    ' at ',
  );
  return `${[head, '', ...frames.map(lineOf)].join('\n')}\n`;
}

/** `3  game!Player::move  player.cpp:12`; a frame that was guessed says so. */
function lineOf({ function: name, module, file, line, offset, trust }: PublicFrame, index: number): string {
  const code = name ?? (offset === null ? '(unknown)' : offset);
  const place = file === null ? '' : `  ${file}${line === null ? '' : `:${line}`}`;
  const guess = trust === 'scan' ? '  (guessed)' : '';
  return `${String(index).padStart(2)}  ${module === null ? '' : `${module}!`}${code}${place}${guess}`;
}
