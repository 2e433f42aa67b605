// The 6-digit code in the email about an approval: creates and verifies it.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';

export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/**
 * Keyed with the secret of the service and the approval, because six digits could be recovered from a plain hash
 * instantly.
 */
export function hashCode(secret: string, approvalId: string, code: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'approval codes')).update(`${approvalId}/${code}`).digest();
}

export function isCode(secret: string, approval: { approval_id: string; code_hash: Buffer }, code: string): boolean {
  return timingSafeEqual(approval.code_hash, hashCode(secret, approval.approval_id, code));
}
