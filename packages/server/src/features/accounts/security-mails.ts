// The emails about changes to how a person signs in: what changed, when, from where, and what to do about it.
import { formatBrowser } from '@chauffeur/contract/format-browser';
import { type Part, renderParts } from '../../kernel/mail/html-mail.ts';
import type { Mail } from '../../kernel/mail/mail.ts';

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
  /** The address before the change, which the mail goes to. */
  readonly email: string;
};

/** Where a request came from. An operator's command has neither. */
export type Origin = { readonly address: string; readonly userAgent: string } | null;

type Text = {
  readonly subject: string;
  readonly lines: readonly string[];
  /** The page that undoes the change, or finds out what else was changed. */
  readonly page: '/reset' | '/settings/security';
  readonly advice: string;
};

const RESET =
  "If this wasn't you, reset your password now. This signs out every browser and revokes your personal keys, agents and commands:";
const REVIEW = "If this wasn't you, sign in, undo the change, and change your password:";

const TEXTS: Readonly<Record<AccountChange['kind'], Text>> = {
  signed_in: {
    subject: 'New sign-in to your Chauffeur account',
    lines: ["Someone signed in to your Chauffeur account in a browser that we haven't seen before."],
    page: '/reset',
    advice: RESET,
  },
  password_changed: {
    subject: 'Your Chauffeur password was changed',
    lines: ['The password of your Chauffeur account was changed.'],
    page: '/reset',
    advice: RESET,
  },
  email_changed: {
    subject: 'Your Chauffeur email was changed',
    lines: ['The email of your Chauffeur account was changed. We no longer send emails about it to this address.'],
    page: '/settings/security',
    advice: "If this wasn't you, ask the operator of this service to disable the account. The service is at:",
  },
  totp_added: {
    subject: 'Two-step sign-in is on for your Chauffeur account',
    lines: [
      'An authenticator app was added. From now on, signing in with your password also takes a code from the app.',
    ],
    page: '/settings/security',
    advice: REVIEW,
  },
  totp_removed: {
    subject: 'Two-step sign-in is off for your Chauffeur account',
    lines: ['The authenticator app was removed. Your password is enough to sign in now.'],
    page: '/settings/security',
    advice: REVIEW,
  },
  backup_codes_created: {
    subject: 'New backup codes for your Chauffeur account',
    lines: ['New backup codes were created. The earlier ones no longer work.'],
    page: '/settings/security',
    advice: REVIEW,
  },
  backup_code_used: {
    subject: 'A backup code was used for your Chauffeur account',
    lines: ['Someone signed in to your Chauffeur account with your password and one of your backup codes.'],
    page: '/reset',
    advice: RESET,
  },
  passkey_added: {
    subject: 'A passkey was added to your Chauffeur account',
    lines: ['A passkey was added. It signs in to your account without the password.'],
    page: '/settings/security',
    advice: REVIEW,
  },
  passkey_removed: {
    subject: 'A passkey was removed from your Chauffeur account',
    lines: ['A passkey was removed. It no longer signs in to your account.'],
    page: '/settings/security',
    advice: REVIEW,
  },
  sso_linked: {
    subject: 'Single sign-on was connected to your Chauffeur account',
    lines: ['Your account was connected with the single sign-on of this service, which has the same verified email.'],
    page: '/settings/security',
    advice: REVIEW,
  },
  factors_reset: {
    subject: 'Two-step sign-in of your Chauffeur account was reset',
    lines: [
      'An operator removed the authenticator app, the backup codes and the passkeys of your account, and signed out every browser. Sign in with your password, and set up two-step sign-in again.',
    ],
    page: '/settings/security',
    advice: "If you didn't ask for this, change your password and tell the operator of this service:",
  },
  disabled: {
    subject: 'Your Chauffeur account was disabled',
    lines: [
      'An operator disabled your account. You cannot sign in, and your personal keys, agents and commands have stopped working.',
    ],
    page: '/settings/security',
    advice: 'Ask the operator of this service why. The service is at:',
  },
  enabled: {
    subject: 'Your Chauffeur account was enabled again',
    lines: ['An operator enabled your account again. Sign in; your personal keys, agents and commands work as before.'],
    page: '/settings/security',
    advice: 'The service is at:',
  },
};

/** `to` is the address at the time of the change. */
export function securityMail(
  to: string,
  { kind }: Pick<AccountChange, 'kind'>,
  { at, origin, publicUrl }: { at: Date; origin: Origin; publicUrl: string },
): Mail {
  const { subject, lines, page, advice } = TEXTS[kind];
  const facts: [string, string][] = [
    ['When', formatUtc(at)],
    ...(origin === null
      ? []
      : ([
          ['Browser', formatBrowser(origin.userAgent)],
          ['IP address', origin.address],
        ] satisfies [string, string][])),
  ];
  const parts: Part[] = [...lines, { facts }, advice, { link: `${publicUrl}${page}` }];
  return { to, subject, headers: { 'Auto-Submitted': 'auto-generated' }, ...renderParts(parts) };
}

/** `2026-11-25 00:15 UTC`. */
function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
