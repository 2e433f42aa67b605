// DSNs: the addresses, each with a key, that games put into Sentry's SDKs. A game can have several, each with a name, and
// revoke one without the others.
import { randomBytes } from 'node:crypto';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { formatDsn } from '@chauffeur/sentry/dsn/dsn';
import type { Context } from '../../../context.ts';
import { transact } from '../../../kernel/database/db.ts';
import { hashSecret, newId } from '../../../kernel/secrets/ids.ts';
import { lockGame } from '../../../people/game-access/game-access.ts';
import { auditChanges } from '../../../request/audit.ts';
import { trimText } from '../../../request/text-rules.ts';
import * as sql from './dsns.sql.ts';

const KEY_BYTES = 16;

/** Throws `invalid` if the game has as many as it can have. */
export async function createDsnFor(
  ctx: Context,
  gameId: string,
  { name, by }: { readonly name: string; readonly by: string },
): Promise<sql.DsnRow> {
  const key = randomBytes(KEY_BYTES).toString('hex');
  const now = ctx.clock.now();
  return transact(ctx.db, async (tx) => {
    // The lock makes the limit hold for concurrent calls.
    await lockGame(tx, gameId);
    if ((await sql.countDsns(tx, gameId)) >= LIMITS.dsns)
      throw errors.invalid(`The game has ${LIMITS.dsns} DSNs, which is the limit. Revoke one first.`);
    await sql.ensureProject(tx, gameId);
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
  });
}

/** The DSN as a game has it in its settings. */
export function dsnOf({ publicUrl }: Pick<Context, 'publicUrl'>, { key, project_no }: sql.DsnRow): string {
  return formatDsn({ key, project: String(project_no), origin: publicUrl });
}
