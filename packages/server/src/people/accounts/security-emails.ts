// The emails about accounts, in the language of the request that they follow: those with a link that proves who owns an
// address, and those about changes to how a person signs in, which say what changed, when, from where, and what to do
// about it.
import { formatBrowser } from '@chauffeur/contract/machine';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { MessageKey } from '@chauffeur/contract/texts/messages';
import type { Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { type Part, renderParts } from '../../kernel/email/html-email.ts';
import { requestLanguage } from '../../request/audit.ts';
import { enqueueEmail } from '../emails/emails.ts';

export type AccountChange = {
  readonly kind:
    | 'signed_in'
    | 'password_changed'
    | 'email_changed'
    | 'totp_added'
    | 'totp_removed'
    | 'backup_codes_created'
    | 'backup_code_used'
    | 'passkey_added'
    | 'passkey_removed'
    | 'sso_linked'
    | 'factors_reset'
    | 'disabled'
    | 'enabled';
  readonly userId: string;
  /** The address before the change, which the email goes to. */
  readonly email: string;
};

/** Where a request came from. An operator's command has neither. */
export type RequestOrigin = { readonly address: string; readonly userAgent: string } | null;

type Advice = Extract<MessageKey, `mail.advice.${string}`>;

/** What to do if the person didn't make the change. Only some changes can be undone by resetting the password. */
const ADVICE: Readonly<Record<AccountChange['kind'], Advice>> = {
  signed_in: 'mail.advice.reset',
  password_changed: 'mail.advice.reset',
  email_changed: 'mail.advice.operator',
  totp_added: 'mail.advice.review',
  totp_removed: 'mail.advice.review',
  backup_codes_created: 'mail.advice.review',
  backup_code_used: 'mail.advice.reset',
  passkey_added: 'mail.advice.review',
  passkey_removed: 'mail.advice.review',
  sso_linked: 'mail.advice.review',
  factors_reset: 'mail.advice.unasked',
  disabled: 'mail.advice.why',
  enabled: 'mail.advice.service',
};

/** `to` is the address at the time of the change. */
function securityEmail(
  to: string,
  { kind }: Pick<AccountChange, 'kind'>,
  { at, origin, publicUrl }: { at: Date; origin: RequestOrigin; publicUrl: string },
): Email {
  const language = requestLanguage();
  const texts = textsOf(language);
  const advice = ADVICE[kind];
  /** The page that undoes the change, or finds out what else was changed. */
  const page = advice === 'mail.advice.reset' ? '/reset' : '/settings/security';
  const facts: [string, string][] = [
    [texts.t('mail.when'), formatUtc(at)],
    ...(origin === null
      ? []
      : ([
          [texts.t('mail.browser'), formatBrowser(origin.userAgent)],
          [texts.t('mail.address'), origin.address],
        ] satisfies [string, string][])),
  ];
  const parts: Part[] = [texts.t(`mail.security.${kind}`), { facts }, texts.t(advice), { link: `${publicUrl}${page}` }];
  const subject = texts.t(`mail.security.${kind}.subject`);
  return { to, subject, headers: { 'Auto-Submitted': 'auto-generated' }, ...renderParts(parts, language) };
}

/** `2026-11-25 00:15 UTC`. */
function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

type LinkEmail = 'verify' | 'reset' | 'change' | 'new';

function linkEmail(kind: LinkEmail, to: string, url: string, values: { email?: string } = {}): Email {
  const texts = textsOf(requestLanguage());
  return {
    to,
    language: texts.language,
    subject: texts.t(`mail.${kind}.subject`),
    text: [
      texts.t(`mail.${kind}`, values),
      url,
      texts.t(`mail.${kind}.note`),
      `${texts.t(`mail.${kind}.ignore`)}\n`,
    ].join('\n\n'),
  };
}

export function verificationEmail(to: string, url: string): Email {
  return linkEmail('verify', to, url);
}

/** Sent when someone signs up with the address of an existing account. */
export function existingAccountEmail(to: string, publicUrl: string): Email {
  const texts = textsOf(requestLanguage());
  return {
    to,
    language: texts.language,
    subject: texts.t('mail.existing.subject'),
    text: [
      texts.t('mail.existing'),
      `${publicUrl}/sign-in`,
      texts.t('mail.existing.forgot'),
      `${publicUrl}/reset`,
      `${texts.t('mail.existing.ignore')}\n`,
    ].join('\n\n'),
  };
}

export function resetEmail(to: string, url: string): Email {
  return linkEmail('reset', to, url);
}

/** Sent to the current address of the account. */
export function confirmChangeEmail(to: string, newEmail: string, url: string): Email {
  return linkEmail('change', to, url, { email: newEmail });
}

/** Sent to the new address. */
export function newAddressEmail(to: string, url: string): Email {
  return linkEmail('new', to, url);
}

/** Reports a change. The email is sent after the commit. */
export async function reportChange(ctx: Context, tx: Tx, change: AccountChange, origin: RequestOrigin): Promise<void> {
  const about = { at: ctx.clock.now(), origin, publicUrl: ctx.publicUrl };
  await enqueueEmail(ctx, tx, 'security', securityEmail(change.email, change, about), { topic: change.kind });
}
