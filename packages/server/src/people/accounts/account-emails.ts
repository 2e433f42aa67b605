// The emails about accounts, in the language of the request that they follow.
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { Email } from '../../kernel/email/email.ts';
import { requestLanguage } from '../../request/audit.ts';

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
