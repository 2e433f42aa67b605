// Finds the mailbox behind an address, so that variants of an address are counted as one recipient.
import { domainToASCII } from 'node:url';

/** Its domains deliver to the same mailboxes, and ignore dots (support.google.com/mail/answer/7436150). */
// cspell:ignore googlemail
const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * The address in lower case, without the tag after a plus sign, which most email servers ignore; of Gmail, also without
 * dots. Emails are never sent to the result: two addresses with the same one may have different owners, who then share
 * their limits.
 */
export function mailboxOf(address: string): string {
  const normal = address.trim().normalize('NFKC').toLowerCase();
  const at = normal.lastIndexOf('@');
  const domain = normal.slice(at + 1).replace(/\.+$/, '');
  const ascii = domainToASCII(domain) || domain;
  const [user = ''] = /^.[^+]*/su.exec(normal.slice(0, at)) ?? [];
  return GMAIL.has(ascii) ? `${user.replaceAll('.', '')}@gmail.com` : `${user}@${ascii}`;
}
