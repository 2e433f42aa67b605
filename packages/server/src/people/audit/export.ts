// Sends the audit log as a file, page by page, so that any number of entries needs little memory.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { type EntryRow, type Filter, listEntries } from './audit.sql.ts';
import { csvLine, HEADER, jsonLine } from './lines.ts';

const PAGE_SIZE = 500;

type ExportOptions = {
  readonly format: 'csv' | 'jsonl' | undefined;
  /** A part of the file name. */
  readonly name: string;
  readonly reply: FastifyReply;
  readonly request: FastifyRequest;
};

/** If the database fails, the response ends without its last chunk, so the reader detects that it is incomplete. */
export function sendExport(
  ctx: Context,
  filter: Filter,
  { format = 'csv', name, reply, request }: ExportOptions,
): FastifyReply {
  reply.header('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl');
  reply.header('content-disposition', `attachment; filename="audit-${name}.${format}"`);
  reply.header('cache-control', 'private, no-store');
  if (request.method === 'HEAD') return reply.send();
  return reply.send(Readable.from(linesOf(ctx, filter, format)));
}

/** Yields a page at a time. Entries of the same page cursor are read once, and newer ones are left out. */
async function* linesOf(ctx: Context, filter: Filter, format: 'csv' | 'jsonl'): AsyncGenerator<string> {
  if (format === 'csv') yield HEADER;
  const write = format === 'csv' ? csvLine : jsonLine;
  let before: string | null = null;
  let page: EntryRow[];
  do {
    page = await listEntries(ctx.db, filter, { before, limit: PAGE_SIZE });
    before = page.at(-1)?.entry_id ?? null;
    if (page.length > 0) yield page.map(write).join('');
  } while (page.length === PAGE_SIZE);
}
