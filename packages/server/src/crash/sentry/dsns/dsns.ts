// DSNs: the addresses, each with a key, that games put into Sentry's SDKs. A game can have several, each with a name, and
// revoke one without the others.
import { randomBytes } from 'node:crypto';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/dsns';
import { formatDsn } from '@chauffeur/sentry/dsn/dsn';
import type { Context } from '../../../context.ts';
import { type Tx, transact } from '../../../kernel/database/db.ts';
import { hashSecret, newId } from '../../../kernel/secrets/ids.ts';
import { lockGame, requireMember } from '../../../people/game-access/game-access.ts';
import { auditChange, auditChanges } from '../../../request/audit.ts';
import { handle } from '../../../request/route.ts';
import { trimText } from '../../../request/text-rules.ts';
import * as sql from './dsns.sql.ts';
import { forgetKey } from './find-dsn.ts';

type DsnRecord = OutputOf<typeof contract.createDsn>;

const KEY_BYTES = 16;
const MAX_LISTED = 100;
const DEFAULT_NAME = 'default';

export const listDsns = handle(contract.listDsns, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const all = await sql.listDsns(ctx.db, game.game_id, MAX_LISTED);
  return { dsns: all.map((row) => recordOf(ctx, row)) };
});

export const createDsn = handle(contract.createDsn, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return recordOf(ctx, await createDsnFor(ctx, game.game_id, { name: input.name, by: caller.user.name }));
});

export const renameDsn = handle(contract.renameDsn, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const renamed = await transact(ctx.db, async (tx) => {
    const change = { gameId: game.game_id, dsnId: input.dsn_id, name: trimText('name', input.name) };
    const row = await sql.renameDsn(tx, change);
    if (row !== undefined) auditChange('name', row.old_name, row.name);
    return row;
  });
  if (renamed === undefined) throw unknownDsn();
  forgetKey(ctx, renamed.key);
  return recordOf(ctx, renamed);
});

export const revokeDsn = handle(contract.revokeDsn, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const now = ctx.clock.now();
  const revoked = await transact(ctx.db, async (tx) => {
    const row = await sql.revokeDsn(tx, game.game_id, input.dsn_id, now);
    // One that was revoked before keeps the time of that.
    if (row?.revoked_at?.getTime() === now.getTime())
      auditChange('state', { dsn_id: row.dsn_id, name: row.name }, 'revoked');
    return row;
  });
  if (revoked === undefined) throw unknownDsn();
  forgetKey(ctx, revoked.key);
  return recordOf(ctx, revoked);
});

type NewDsn = { readonly name: string; readonly by: string };

/** Throws `invalid` if the game has as many as it can have. */
export function createDsnFor(ctx: Context, gameId: string, dsn: NewDsn): Promise<sql.DsnRow> {
  return transact(ctx.db, async (tx) => {
    // The lock makes the limit hold for concurrent calls.
    await lockGame(tx, gameId);
    return insert(ctx, tx, gameId, dsn);
  });
}

/**
 * The game's oldest DSN that works, or with a name, the oldest of that name. Creates it if there is none. Throws
 * `invalid` if the game has as many as it can have.
 */
export function ensureDsn(
  ctx: Context,
  gameId: string,
  { name, by }: { readonly name: string | undefined; readonly by: string },
): Promise<{ row: sql.DsnRow; isNew: boolean }> {
  const wanted = name === undefined ? undefined : trimText('name', name);
  return transact(ctx.db, async (tx) => {
    await lockGame(tx, gameId);
    const active = (await sql.listDsns(tx, gameId, LIMITS.dsns)).filter(({ revoked_at }) => revoked_at === null);
    const found = active.find((dsn) => wanted === undefined || dsn.name === wanted);
    if (found !== undefined) return { row: found, isNew: false };
    return { row: await insert(ctx, tx, gameId, { name: wanted ?? DEFAULT_NAME, by }), isNew: true };
  });
}

async function insert(ctx: Context, tx: Tx, gameId: string, { name, by }: NewDsn): Promise<sql.DsnRow> {
  if ((await sql.countDsns(tx, gameId)) >= LIMITS.dsns)
    throw errors.invalid(`The game has ${LIMITS.dsns} DSNs, which is the limit. Revoke one first.`);
  await sql.ensureProject(tx, gameId);
  const now = ctx.clock.now();
  const key = randomBytes(KEY_BYTES).toString('hex');
  const created = await sql.insertDsn(tx, {
    game_id: gameId,
    dsn_id: newId(now.getTime()),
    name: trimText('name', name),
    key,
    key_hash: hashSecret(key),
    created_by: by,
    created_at: now,
  });
  auditChanges({}, { dsn_id: created.dsn_id, name: created.name });
  return created;
}

/** The DSN as a game has it in its settings. */
export function dsnOf({ publicUrl }: Pick<Context, 'publicUrl'>, { key, project_no }: sql.DsnRow): string {
  return formatDsn({ key, project: String(project_no), origin: publicUrl });
}

function recordOf(ctx: Context, row: sql.DsnRow): DsnRecord {
  return {
    dsn_id: row.dsn_id,
    name: row.name,
    dsn: dsnOf(ctx, row),
    project_no: row.project_no,
    state: row.revoked_at === null ? 'active' : 'revoked',
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}

function unknownDsn(): ApiError {
  return errors.notFound('dsn_id: the game has no such DSN.');
}
