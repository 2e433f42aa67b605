// The email that asks the owners of a game to approve a change, and its 6-digit code.

import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';

type Request = {
  to: string;
  game: string;
  summary: string;
  consequences: readonly string[];
  askedBy: string;
  via: string;
  url: string;
  /** Null if the agent cannot pass on a code from this person. */
  code: string | null;
};

export function approvalEmail({ to, game, summary, consequences, askedBy, via, url, code }: Request): Email {
  return {
    to,
    subject: `Approve? ${oneLine(summary)} (${oneLine(game)})`,
    text: [
      `A change to your game ${quote(game)} needs your approval:`,
      `    ${oneLine(summary)}`,
      `Requested by ${quote(askedBy)} through ${quote(via)}.`,
      ['What will change:', ...consequences.map((line) => `  - ${oneLine(line)}`)].join('\n'),
      'Approve or deny it:',
      url,
      ...(code === null
        ? ['Any owner of the game can decide. The link expires in 24 hours. Nothing changes unless an owner approves.']
        : [
            'To approve it from the agent instead, give the agent this code.',
            `Confirmation code: ${code}`,
            'The link and the code expire in 24 hours. Nothing changes unless you approve.',
          ]),
      "If you didn't expect this, deny it and check the agents connected to your account.\n",
    ].join('\n\n'),
  };
}

export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/**
 * Hashes a code with the secret of the service and the approval, because six digits could be found from a plain hash.
 */
export function hashCode(secret: string, approvalId: string, code: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'approval codes')).update(`${approvalId}/${code}`).digest();
}

export function isCode(secret: string, approval: { approval_id: string; code_hash: Buffer }, code: string): boolean {
  return timingSafeEqual(approval.code_hash, hashCode(secret, approval.approval_id, code));
}
