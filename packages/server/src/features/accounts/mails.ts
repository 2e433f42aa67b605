// The words of the mails about accounts.
import type { Mail } from '../../kernel/mail.ts';

export function verificationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Verify your email for Chauffeur',
    text: `Someone, probably you, created a Chauffeur account with this email address.\n\nOpen this link within 24 hours to verify the address:\n\n${url}\n\nUploads for your games are accepted once it is verified. If it wasn't you, ignore this email.\n`,
  };
}

/** Sent when somebody signs up with the address of an account that exists. */
export function existingAccountMail(to: string, publicUrl: string): Mail {
  return {
    to,
    subject: 'You already have a Chauffeur account',
    text: `Someone, probably you, tried to sign up for Chauffeur with this email address. You already have an account; nothing was changed.\n\nSign in:\n\n${publicUrl}/sign-in\n\nIf you forgot your password, reset it:\n\n${publicUrl}/reset\n\nIf it wasn't you, ignore this email.\n`,
  };
}

export function resetMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Choose a new Chauffeur password',
    text: `Someone, probably you, asked to reset the password of this Chauffeur account.\n\nOpen this link within an hour to choose a new one:\n\n${url}\n\nThe new password signs you out everywhere, revokes your personal keys and disconnects all programs. If it wasn't you, ignore this email: your password stays as it is.\n`,
  };
}

/** To the address that the account has now. */
export function confirmChangeMail(to: string, newEmail: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm the change of your Chauffeur email',
    text: `Someone signed in to your Chauffeur account asked to change its email address to ${newEmail}.\n\nIf it was you, open this link within 24 hours. We then send a second link to the new address:\n\n${url}\n\nIf it wasn't you, don't open the link. Your email stays as it is. Change your password: someone else may be signed in to your account.\n`,
  };
}

/** To the address that the account is to have. */
export function newAddressMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm your new Chauffeur email',
    text: `Someone, probably you, wants to use this email address for an existing Chauffeur account.\n\nOpen this link within 24 hours to make it the address of the account:\n\n${url}\n\nIf it wasn't you, ignore this email.\n`,
  };
}
