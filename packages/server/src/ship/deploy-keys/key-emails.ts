// The emails to the owner of a game about new deploy keys and upload tokens.
import type { UploadScope } from '@chauffeur/contract/operation';
import { PAGES } from '@chauffeur/contract/pages';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';

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
