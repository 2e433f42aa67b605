// How often the files of builds are downloaded, by build and UTC day.
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { dailyCounter } from '../../request/daily-counter.ts';
import { matches, readRange } from '../../request/send-blob.ts';
import * as sql from './downloads.sql.ts';

type Download = { readonly gameId: string; readonly buildId: string };
type Blob = { readonly size: number; readonly etag: string };

const count = dailyCounter<Download>('downloads', sql.addDownloads);

/** The number of downloads of a game on these days. */
export function downloadsBetween({ db }: Context, gameId: string, days: sql.DownloadDays): Promise<number> {
  return sql.sumDownloads(db, gameId, days);
}

/**
 * Counts a request for a file if it begins a download. Requests for a later part continue one, and those of launchers
 * that already have the file only ask whether it has changed. A download is more important than its count, so an error
 * is only logged. Resolves to whether a download begins.
 */
export async function countDownload(
  ctx: Context,
  request: FastifyRequest,
  { blob, ...download }: Download & { readonly blob: Blob },
): Promise<boolean> {
  if (!isBeginning(request, blob)) return false;
  try {
    await count(ctx, download);
  } catch (error) {
    ctx.log.warn({ err: error, build: download.buildId }, 'a download was not counted');
  }
  return true;
}

function isBeginning({ method, headers }: FastifyRequest, blob: Blob): boolean {
  if (method !== 'GET' || matches(headers['if-none-match'], blob.etag)) return false;
  const range = readRange(headers.range, headers['if-range'], blob);
  return range === null || (range !== 'unsatisfiable' && range.start === 0);
}
