// The words of the mail that follows a reset of the password.
import type { Mail } from '../../kernel/mail.ts';

type Revoked = { readonly sessions: number; readonly personal_keys: number; readonly programs: number };
type LiveKey = { readonly name: string; readonly key_ref: string };

export function resetReportMail(to: string, revoked: Revoked, deployKeys: readonly LiveKey[], publicUrl: string): Mail {
  const still =
    deployKeys.length === 0
      ? 'None of your games has a deploy key.'
      : `These deploy keys still work:\n\n${deployKeys.map(({ name, key_ref }) => `- ${name}: ${key_ref}…`).join('\n')}\n\nIf someone else may have had your password, revoke them too:\n\n${publicUrl}/settings/security`;
  return {
    to,
    subject: 'Your Chauffeur password was changed',
    text: `The password of your Chauffeur account was reset.\n\nSessions ended: ${revoked.sessions}. Personal keys revoked: ${revoked.personal_keys}. Programs disconnected: ${revoked.programs}.\n\n${still}\n\nIf it wasn't you, reset the password again and check who can read your email:\n\n${publicUrl}/reset\n`,
  };
}
