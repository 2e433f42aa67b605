// The emails about accounts.
import type { Mail } from '../../kernel/mail/mail.ts';

export function verificationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Verify your email for Chauffeur',
    text: [
      'Open this link to verify your email address for Chauffeur:',
      url,
      'The link expires in 24 hours. You can upload builds once your address is verified.',
      "If you didn't create an account, ignore this email.\n",
    ].join('\n\n'),
  };
}

/** Sent when someone signs up with the address of an existing account. */
export function existingAccountMail(to: string, publicUrl: string): Mail {
  return {
    to,
    subject: 'You already have a Chauffeur account',
    text: [
      'Someone tried to sign up for Chauffeur with this email address, but you already have an account. Sign in instead:',
      `${publicUrl}/sign-in`,
      'Forgot your password? Reset it:',
      `${publicUrl}/reset`,
      "If this wasn't you, ignore this email. Nothing was changed.\n",
    ].join('\n\n'),
  };
}

export function resetMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Choose a new Chauffeur password',
    text: [
      'Open this link to choose a new password for your Chauffeur account:',
      url,
      'The link expires in 1 hour. A new password signs you out everywhere, revokes your personal keys and disconnects your agents.',
      "If you didn't request this, ignore this email. Your password stays the same.\n",
    ].join('\n\n'),
  };
}

/** Sent to the current address of the account. */
export function confirmChangeMail(to: string, newEmail: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm the change of your Chauffeur email',
    text: [
      `Open this link to change the email address of your Chauffeur account to ${newEmail}:`,
      url,
      'The link expires in 24 hours. We then send a second link to the new address.',
      "If you didn't request this, don't open the link. Someone else may be signed in to your account, so change your password.\n",
    ].join('\n\n'),
  };
}

/** Sent to the new address. */
export function newAddressMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm your new Chauffeur email',
    text: [
      'Open this link to use this email address for your Chauffeur account:',
      url,
      'The link expires in 24 hours.',
      "If you didn't request this, ignore this email.\n",
    ].join('\n\n'),
  };
}
