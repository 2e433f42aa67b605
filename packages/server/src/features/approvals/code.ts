// The 6-digit code of an approval's mail: made, and compared with what somebody typed.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../kernel/signed-token.ts';

export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** Keyed by the service's secret, and for one approval alone: of six digits, any other hash is looked up in a moment. */
export function hashCode(secret: string, approvalId: string, code: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'approval codes')).update(`${approvalId}/${code}`).digest();
}

export function isCode(secret: string, approval: { approval_id: string; code_hash: Buffer }, code: string): boolean {
  return timingSafeEqual(approval.code_hash, hashCode(secret, approval.approval_id, code));
}
