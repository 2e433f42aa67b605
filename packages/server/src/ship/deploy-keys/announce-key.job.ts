// Emails the owners of a game about a new deploy key or upload token, so that unexpected ones are noticed.

import type { UploadScope } from '@chauffeur/contract/operation';
import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { findGame, listOwners } from '../../people/game-access/game-access.sql.ts';
import { findIssue, findTokenById } from './deploy-keys.sql.ts';

/** `keyId` is the id of the deploy key or of the upload token. */
type NewKey = { readonly gameId: string; readonly keyId: string };

export const announceKeyJob = defineJob('deploy-keys:announce', { attempts: 12 }, announceKey);

/** A repeated run may send the email again. */
export async function announceKey(ctx: Context, { gameId, keyId }: NewKey): Promise<void> {
  const game = await findGame(ctx.db, gameId);
  if (game === null) return;
  const [key, token] = await Promise.all([findIssue(ctx.db, gameId, keyId), findTokenById(ctx.db, gameId, keyId)]);
  const emails = (await listOwners(ctx.db, gameId)).flatMap(({ email: to }) => {
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
  await transact(ctx.db, (tx) => enqueueEmails(ctx, tx, 'deploy_key', emails));
}

type About = {
  readonly to: string;
  readonly game: { readonly name: string; readonly slug: string };
  readonly by: string;
  readonly keyRef: string;
  readonly publicUrl: string;
};

export function newKeyEmail({ to, game, by, keyRef, publicUrl }: About): Email {
  return {
    to,
    subject: `New deploy key for ${oneLine(game.name)}`,
    text: [
      `A new deploy key for ${quote(game.name)} was created by ${quote(by)}. It starts with ${keyRef}.`,
      'All earlier deploy keys of the game were revoked.',
      ...unexpected(publicUrl, game.slug),
    ].join('\n\n'),
  };
}

export function newTokenEmail({
  name,
  scopes,
  expiresAt,
  ...about
}: About & { name: string; scopes: readonly UploadScope[]; expiresAt: Date | null }): Email {
  const { to, game, by, keyRef, publicUrl } = about;
  const expiry = expiresAt === null ? 'It never expires.' : `It expires on ${expiresAt.toISOString().slice(0, 10)}.`;
  return {
    to,
    subject: `New upload token for ${oneLine(game.name)}`,
    text: [
      `The upload token ${quote(name)} for ${quote(game.name)} was created by ${quote(by)}. It starts with ${keyRef}.`,
      `Scopes: ${scopes.join(', ')}. ${expiry}`,
      ...unexpected(publicUrl, game.slug),
    ].join('\n\n'),
  };
}

function unexpected(publicUrl: string, slug: string): string[] {
  return [
    "If you didn't expect this, revoke it and check who is a member of the game:",
    `${publicUrl}${PAGES.settingsKeys.replace(':uid', slug)}\n`,
  ];
}
