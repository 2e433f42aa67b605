// Sends the audit log as a file, page by page, so that any number of entries needs little memory: as lines of CSV (RFC
// 4180) or JSON.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { timeOfId } from '../../kernel/secrets/ids.ts';
import { type EntryRow, type Filter, listEntries } from './audit.sql.ts';

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

const COLUMNS: Readonly<Record<string, (entry: EntryRow) => string | number | null>> = {
  at: ({ entry_id }) => new Date(timeOfId(entry_id)).toISOString(),
  kind: ({ actor_kind }) => actor_kind,
  who: ({ actor_name }) => actor_name,
  via: ({ via }) => via,
  operation: ({ operation }) => operation,
  game_uid: ({ about_game }) => about_game,
  game: ({ game_name }) => game_name,
  details: ({ details }) => JSON.stringify(details),
  changes: ({ changes }) => JSON.stringify(changes),
  outcome: ({ outcome }) => outcome,
  address: ({ address }) => address,
  client: ({ client }) => client,
  entry_id: ({ entry_id }) => entry_id,
};

const HEADER = `${Object.keys(COLUMNS).join(',')}\r\n`;

function csvLine(entry: EntryRow): string {
  return `${Object.values(COLUMNS)
    .map((read) => csvField(String(read(entry) ?? '')))
    .join(',')}\r\n`;
}

/** A spreadsheet would run a text as a formula if it begins with one of these, even in quotes. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function jsonLine({ actor_kind, actor_id, actor_name, via, about_game, game_name, ...entry }: EntryRow): string {
  const line = {
    at: new Date(timeOfId(entry.entry_id)).toISOString(),
    actor: { kind: actor_kind, id: actor_id, name: actor_name, via },
    game: about_game === null ? null : { game_uid: about_game, name: game_name ?? '' },
    ...entry,
  };
  return `${JSON.stringify(line)}\n`;
}
