// The emails about accounts, in the language of the request that they follow.
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { Mail } from '../../kernel/mail/mail.ts';
import { requestLanguage } from '../../request/audit.ts';

type LinkMail = 'verify' | 'reset' | 'change' | 'new';

function linkMail(kind: LinkMail, to: string, url: string, values: { email?: string } = {}): Mail {
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

export function verificationMail(to: string, url: string): Mail {
  return linkMail('verify', to, url);
}

/** Sent when someone signs up with the address of an existing account. */
export function existingAccountMail(to: string, publicUrl: string): Mail {
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

export function resetMail(to: string, url: string): Mail {
  return linkMail('reset', to, url);
}

/** Sent to the current address of the account. */
export function confirmChangeMail(to: string, newEmail: string, url: string): Mail {
  return linkMail('change', to, url, { email: newEmail });
}

/** Sent to the new address. */
export function newAddressMail(to: string, url: string): Mail {
  return linkMail('new', to, url);
}
