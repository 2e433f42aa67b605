// Emails to operators about games whose owners can't get alerts, because their accounts are disabled.
import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { listActiveOperators } from '../../people/accounts/accounts.sql.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { listOwners } from '../../people/games/games.sql.ts';
import type { Game } from '../../people/games/games.ts';
import type { Alert } from './alert.ts';
import { contentOf, subjectOf } from './message.ts';

/** Only about limits, which operators can change. They are sent if the transaction commits. */
export async function mailOperators(ctx: Context, tx: Tx, game: Game, alerts: readonly Alert[]): Promise<void> {
  const ofLimits = alerts.filter(({ kind }) => kind === 'quota_low');
  if (ofLimits.length === 0 || (await listOwners(tx, game.game_id)).length > 0) return;
  const content = contentOf(ofLimits, game.slug);
  const about = { uid: game.game_id, name: game.name, url: '' };
  const mails = (await listActiveOperators(tx)).map(({ email: to }) => ({
    to,
    subject: oneLine(subjectOf({ game: about, reason: 'alerts', ...content })),
    text: [
      ...content.lines.map(({ heading, text }) => `${heading}: ${text}`),
      `You get this email as an operator, because the accounts of all owners of ${quote(game.name)} are disabled. Change its limits at:`,
      `${ctx.publicUrl}${PAGES.operatorGames}\n`,
    ].join('\n\n'),
  }));
  await enqueueEmails(ctx, tx, 'operator_notice', mails);
}
