// The emails about changes to how a person signs in: what changed, when, from where, and what to do about it, in the
// language of the request that made the change.
import { formatBrowser } from '@chauffeur/contract/format-browser';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { MessageKey } from '@chauffeur/contract/texts/messages';
import type { Email } from '../../kernel/email/email.ts';
import { type Part, renderParts } from '../../kernel/email/html-email.ts';
import { requestLanguage } from '../../request/audit.ts';

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
export type Origin = { readonly address: string; readonly userAgent: string } | null;

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
export function securityEmail(
  to: string,
  { kind }: Pick<AccountChange, 'kind'>,
  { at, origin, publicUrl }: { at: Date; origin: Origin; publicUrl: string },
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
