// The emails to the owner of a game about new deploy keys and upload tokens.
import type { UploadScope } from '@chauffeur/contract/operation';
import { PAGES } from '@chauffeur/contract/pages';
import type { Mail } from '../../kernel/mail/mail.ts';
import { oneLine, quote } from '../../kernel/mail/mail-text.ts';

type About = {
  readonly to: string;
  readonly game: { readonly name: string; readonly slug: string };
  readonly by: string;
  readonly keyRef: string;
  readonly publicUrl: string;
};

export function newKeyMail({ to, game, by, keyRef, publicUrl }: About): Mail {
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

export function newTokenMail({
  name,
  scopes,
  expiresAt,
  ...about
}: About & { name: string; scopes: readonly UploadScope[]; expiresAt: Date | null }): Mail {
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
