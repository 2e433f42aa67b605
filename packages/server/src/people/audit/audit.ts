// Reads the audit log: of a game or an organisation for its owners and admins, and of the whole service for operators.

import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/audit';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { firstIdAt, timeOfId } from '../../kernel/secrets/ids.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle, stream } from '../../request/route.ts';
import { requireMember } from '../game-access/game-access.ts';
import { requireOrganisation } from '../organisations/organisations.ts';
import * as sql from './audit.sql.ts';
import { forgetEntries } from './audit.sql.ts';
import { sendExport } from './export.ts';

type Page = OutputOf<typeof contract.listAuditEntries>;
type Filters = Omit<InputOf<typeof contract.listServiceAuditEntries>, 'cursor' | 'limit'>;

const PAGE_SIZE = 50;

/** Throws `notFound`. */
export const listAuditEntries = handle(contract.listAuditEntries, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readPage(ctx, { game: game.game_id }, input);
});

/** The changes of the organisation and its games. Throws `notFound`. */
export const listOrganisationAuditEntries = handle(
  contract.listOrganisationAuditEntries,
  async (ctx, { caller, input }) => {
    const { organisation } = await requireOrganisation(ctx, caller, input.organisation);
    return readPage(ctx, { organisation: organisation.organisation_id }, input);
  },
);

export const listServiceAuditEntries = handle(contract.listServiceAuditEntries, (ctx, { input }) => {
  return readPage(ctx, 'service', input);
});

/** Throws `notFound`. */
export const exportAuditEntries = stream(
  contract.exportAuditEntries,
  async (ctx, { caller, input, reply, request }) => {
    const { game } = await requireMember(ctx, caller, input.uid);
    return sendExport(ctx, filterOf({ game: game.game_id }, input), {
      format: input.format,
      name: game.slug,
      reply,
      request,
    });
  },
);

/** Throws `notFound`. */
export const exportOrganisationAuditEntries = stream(
  contract.exportOrganisationAuditEntries,
  async (ctx, { caller, input, reply, request }) => {
    const { organisation } = await requireOrganisation(ctx, caller, input.organisation);
    const { organisation_id: id, slug } = organisation;
    const { format } = input;
    return sendExport(ctx, filterOf({ organisation: id }, input), { format, name: slug ?? id, reply, request });
  },
);

export const exportServiceAuditEntries = stream(
  contract.exportServiceAuditEntries,
  async (ctx, { input, reply, request }) => {
    return sendExport(ctx, filterOf('service', input), { format: input.format, name: 'service', reply, request });
  },
);

async function readPage(
  ctx: Context,
  scope: sql.Scope,
  { cursor, limit = PAGE_SIZE, ...input }: InputOf<typeof contract.listServiceAuditEntries>,
): Promise<Page> {
  const filter = filterOf(scope, input);
  const list = ['audit', filter];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const { page, last } = cutPage(await sql.listEntries(ctx.db, filter, { before, limit: limit + 1 }), limit);
  return { entries: page.map(recordOf), next_cursor: last === null ? null : writeCursor(list, [last.entry_id]) };
}

function filterOf(scope: sql.Scope, { who, kind, what, from, to, search }: Filters): sql.Filter {
  return { scope, who, kind, what, from: idAt(from), to: idAt(to), search };
}

/** Times before 1970 have no ids. */
function idAt(time: string | undefined): string | undefined {
  return time === undefined ? undefined : firstIdAt(Math.max(0, new Date(time).getTime()));
}

function recordOf(row: sql.EntryRow): Page['entries'][number] {
  return {
    entry_id: row.entry_id,
    at: new Date(timeOfId(row.entry_id)).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, via: row.via },
    operation: row.operation,
    game: row.about_game === null ? null : { game_uid: row.about_game, name: row.game_name ?? '' },
    details: row.details,
    changes: row.changes,
    outcome: row.outcome,
    address: row.address,
    client: row.client,
  };
}

export const auditRetentionJob = defineJob(
  'audit:retention',
  { attempts: 5, cron: '17 4 * * *', lane: 'long', deletesOld: true },
  expireAudit,
);

/** Few enough for a short transaction. */
const BATCH_SIZE = 5000;

export async function expireAudit({ db, clock, config: { auditDays } }: Context): Promise<void> {
  if (auditDays === 0) return;
  const before = firstIdAt(clock.now().getTime() - auditDays * DAY);
  while ((await forgetEntries(db, before, BATCH_SIZE)) === BATCH_SIZE);
}
