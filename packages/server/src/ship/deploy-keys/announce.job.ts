// Emails the owners of a game about a new deploy key or upload token, so that unexpected ones are noticed.
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { findGame, listOwners } from '../../people/games/games.sql.ts';
import { findIssue } from './deploy-keys.sql.ts';
import { newKeyEmail, newTokenEmail } from './key-emails.ts';
import { findTokenById } from './upload-tokens.sql.ts';

/** The id is that of the deploy key or of the upload token. */
type NewKey = { readonly gameId: string; readonly keyId: string };

export const announceKeyJob = defineJob('deploy-keys:announce', { attempts: 12 }, announceKey);

/** A repeated run may send the email again. */
export async function announceKey(ctx: Context, { gameId, keyId }: NewKey): Promise<void> {
  const game = await findGame(ctx.db, gameId);
  if (game === null) return;
  const [key, token] = await Promise.all([findIssue(ctx.db, gameId, keyId), findTokenById(ctx.db, gameId, keyId)]);
  const mails = (await listOwners(ctx.db, gameId)).flatMap(({ email: to }) => {
    const about = { to, game, publicUrl: ctx.publicUrl };
    return [
      ...(key === undefined ? [] : [newKeyEmail({ ...about, by: key.issued_by, keyRef: key.key_ref })]),
      ...(token === undefined
        ? []
        : [
            newTokenEmail({
              ...about,
              by: token.created_by,
              keyRef: token.key_ref,
              name: token.name,
              scopes: token.scopes,
              expiresAt: token.expires_at,
            }),
          ]),
    ];
  });
  await transact(ctx.db, (tx) => enqueueEmails(ctx, tx, 'deploy_key', mails));
}
