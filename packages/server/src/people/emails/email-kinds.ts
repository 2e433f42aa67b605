// The kinds of emails: who gets each, and how many.
import type { Config } from '../../config.ts';
import type { EMAIL_KINDS } from '../../kernel/telemetry/metric-table.ts';

export type EmailKind = (typeof EMAIL_KINDS)[number];

type Rule = {
  /**
   * - `anyone`: an address that somebody typed. It counts as unconfirmed, so that neither a response nor an email says
   *   whether it has an account.
   * - `account`: the address of an account, which may not be verified yet.
   * - `verified`: the verified address of an account, and no other.
   * - `consenting`: an address whose owner has asked for the emails by a link in an earlier email, or with a verified
   *   account. The caller has checked it.
   */
  readonly to: 'anyone' | 'account' | 'verified' | 'consenting';
  /**
   * What limits the emails to a confirmed address: CHAUFFEUR_LIMIT_MAILS an hour and a day, or an hour only, or a few
   * an hour, or nothing. Notices that protect the account have no limit, which others could use up first.
   */
  readonly confirmed: 'day' | 'hour' | 'few' | 'none';
  /** Whether each game has its own limit at a confirmed address. */
  readonly perGame?: true;
  /** Whether the service sends them by its own schedule, which limits them, and not because of one account or game. */
  readonly isScheduled?: true;
  /** Whether the owner of an address can block it; see emails.ts. */
  readonly canBeBlocked?: true;
};

/** Typed by anyone, and unconfirmed in any case. */
const FROM_ANYONE: Rule = { to: 'anyone', confirmed: 'none', canBeBlocked: true };
/** To members, about what they own or take part in. */
const TO_MEMBERS: Rule = { to: 'verified', confirmed: 'none' };
/** Emails to players who asked for emails of this game. */
const TO_PLAYERS: Rule = { to: 'consenting', confirmed: 'day', perGame: true };

export const RULES: Readonly<Record<EmailKind, Rule>> = {
  verify: FROM_ANYONE,
  existing_account: FROM_ANYONE,
  new_email: FROM_ANYONE,
  follow: FROM_ANYONE,
  ticket: FROM_ANYONE,
  invitation: FROM_ANYONE,
  team_invitation: FROM_ANYONE,
  transfer: FROM_ANYONE,

  // These have no limit of a day, with which anyone could keep the owner from a new password.
  reset: { to: 'account', confirmed: 'few' },
  reset_report: { to: 'account', confirmed: 'none' },
  security: { to: 'account', confirmed: 'none', canBeBlocked: true },

  change_email: { to: 'verified', confirmed: 'day' },
  test: { to: 'account', confirmed: 'hour' },
  alert: { to: 'verified', confirmed: 'hour', perGame: true, isScheduled: true },
  approval: TO_MEMBERS,
  deploy_key: TO_MEMBERS,
  game_deleted: TO_MEMBERS,
  game_transferred: TO_MEMBERS,
  mention: TO_MEMBERS,
  operator_notice: TO_MEMBERS,
  page_hidden: TO_MEMBERS,

  release: { ...TO_PLAYERS, isScheduled: true },
  reply: TO_PLAYERS,
};

/** The most emails in an hour and in a day; 0 for no limit. */
export type Bounds = { readonly hour: number; readonly day: number };

const DAY_FACTOR = 5;
const FEW = 3;

export function boundsOf(
  kind: EmailKind,
  isConfirmed: boolean,
  { limitUnconfirmedMails: strange, limitMails: usual }: Pick<Config, 'limitUnconfirmedMails' | 'limitMails'>,
): Bounds {
  if (!isConfirmed) return { hour: strange, day: DAY_FACTOR * strange };
  switch (RULES[kind].confirmed) {
    case 'day':
      return { hour: usual, day: DAY_FACTOR * usual };
    case 'hour':
      return { hour: usual, day: 0 };
    case 'few':
      return { hour: Math.min(FEW, usual), day: 0 };
    case 'none':
      return { hour: 0, day: 0 };
  }
}
