// The words of the mails about accounts.
import type { Mail } from '../../kernel/mail.ts';

export function verificationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Verify your email for Chauffeur',
    text: `Somebody, most likely you, made a Chauffeur account with this email address.\n\nOpen this link within 24 hours to verify it:\n\n${url}\n\nUploads for your games are accepted once it is verified. If it was not you, ignore this mail.\n`,
  };
}

export function resetMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Choose a new Chauffeur password',
    text: `Somebody, most likely you, asked to reset the password of this Chauffeur account.\n\nOpen this link within an hour to choose a new one:\n\n${url}\n\nIf it was not you, ignore this mail: your password stays as it is.\n`,
  };
}
