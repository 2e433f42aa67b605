// The email that follows a password reset.
import type { Email } from '../../kernel/email/email.ts';
import { oneLine } from '../../kernel/email/html-email.ts';

type Revoked = {
  readonly sessions: number;
  readonly personal_keys: number;
  readonly programs: number;
  readonly cli_logins: number;
};
type ActiveKey = { readonly name: string; readonly key_ref: string; readonly upload_token: string | null };

export function resetReportMail(
  to: string,
  revoked: Revoked,
  deployKeys: readonly ActiveKey[] | null,
  publicUrl: string,
): Email {
  return {
    to,
    subject: 'Your Chauffeur password was changed',
    text: [
      'The password of your Chauffeur account was reset.',
      [
        `Sessions ended: ${revoked.sessions}`,
        `Personal keys revoked: ${revoked.personal_keys}`,
        `Agents disconnected: ${revoked.programs}`,
        `Commands signed out: ${revoked.cli_logins}`,
      ].join('\n'),
      ...keyParts(deployKeys, publicUrl),
      "If you didn't do this, reset your password again and check who can read your email:",
      `${publicUrl}/reset\n`,
    ].join('\n\n'),
  };
}

/** Null for an address that was never confirmed. */
function keyParts(deployKeys: readonly ActiveKey[] | null, publicUrl: string): string[] {
  if (deployKeys === null)
    return [
      'Deploy keys and upload tokens of your games still work. Sign in to see and revoke them:',
      `${publicUrl}/settings/security`,
    ];
  return deployKeys.length === 0
    ? ['Your games have no deploy keys or upload tokens.']
    : activeKeys(deployKeys, publicUrl);
}

function activeKeys(deployKeys: readonly ActiveKey[], publicUrl: string): string[] {
  return [
    'These deploy keys and upload tokens still work:',
    deployKeys.map(formatKey).join('\n'),
    'If someone else may have had your password, revoke them too:',
    `${publicUrl}/settings/security`,
  ];
}

function formatKey({ name, key_ref, upload_token }: ActiveKey): string {
  const token = upload_token === null ? '' : ` (token ${oneLine(upload_token)})`;
  return `  - ${oneLine(name)}: ${key_ref}…${token}`;
}
