// The tokens of the upload addresses of attachments: one for each attachment of a report.
import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { hmacUnder } from '../../../kernel/secrets/hmac.ts';
import { deriveKey } from '../../../kernel/secrets/signed-token.ts';
import { perContext } from '../../../request/per-context.ts';

export type AttachmentGrant = { gameId: string; reportId: string; attachment: number };

/** The first byte of a token, for attachment 0. Lower ones are those of other tokens of a report. */
const FIRST_INDEX = 16;
const UUID_BYTES = 16;
const SIGNED_BYTES = 1 + 2 * UUID_BYTES;
const MAC_BYTES = 16;

const macOf = perContext(({ secret }) => hmacUnder(deriveKey(secret, 'crash attachment'), SIGNED_BYTES));

export function makeAttachmentToken(ctx: Context, { gameId, reportId, attachment }: AttachmentGrant): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed[0] = FIRST_INDEX + attachment;
  signed.write((gameId + reportId).replaceAll('-', ''), 1, 'hex');
  return Buffer.concat([signed, signatureOf(ctx, signed)]).toString('base64url');
}

/** Null for an invalid token, and for one that is not for an attachment. */
export function openAttachmentToken(ctx: Context, token: string): AttachmentGrant | null {
  const bytes = Buffer.from(token, 'base64url');
  const attachment = (bytes[0] ?? 0) - FIRST_INDEX;
  // Decoding ignores invalid characters, so only the exact text of a token is accepted.
  const isWhole = bytes.length === SIGNED_BYTES + MAC_BYTES && bytes.toString('base64url') === token;
  if (!isWhole || attachment < 0 || attachment >= LIMITS.crashAttachments) return null;
  const signed = bytes.subarray(0, SIGNED_BYTES);
  if (!timingSafeEqual(bytes.subarray(SIGNED_BYTES), signatureOf(ctx, signed))) return null;
  return { gameId: uuidAt(signed, 1), reportId: uuidAt(signed, 1 + UUID_BYTES), attachment };
}

function signatureOf(ctx: Context, signed: Buffer): Buffer {
  return Buffer.from(macOf(ctx)(signed).slice(0, MAC_BYTES), 'latin1');
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
