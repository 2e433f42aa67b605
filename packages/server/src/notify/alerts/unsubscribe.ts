// Ends the emails about a game's alerts by the link in such an email, without signing in.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/alerts';
import type { Context } from '../../context.ts';
import { isMissingReference } from '../../kernel/database/db.ts';
import { deriveKey, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { findGame } from '../../people/games/games.sql.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import * as sql from './alerts.sql.ts';

const keyOf = perContext(({ secret }) => deriveKey(secret, 'unsubscribe'));

/** It never expires, like the email that has it. */
export function unsubscribeToken(ctx: Context, gameId: string, userId: string): string {
  return signToken(keyOf(ctx), Buffer.from(JSON.stringify([gameId, userId])));
}

/** The body that email programs send is ignored. Throws `notFound`. */
export const unsubscribeFromAlerts = stream(contract.unsubscribeFromAlerts, async (ctx, { input: { token } }) => {
  const payload = openToken(keyOf(ctx), token);
  if (payload === null) throw unknownLink();
  const [gameId, userId] = JSON.parse(payload.toString()) as [string, string];
  const game = await findGame(ctx.db, gameId);
  if (game === null) throw unknownLink();
  try {
    await sql.upsertSubscription(ctx.db, gameId, userId, false);
  } catch (error) {
    // The account was deleted.
    if (isMissingReference(error)) throw unknownLink();
    throw error;
  }
  return answer(200, { game: game.name });
});

function unknownLink(): ApiError {
  return errors.notFound('token: this link is incomplete, or its game or account no longer exists.');
}
