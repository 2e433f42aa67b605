// The tokens of a report: one for each upload address, which allows one file, and one for reading its state, reason and
// stack. They contain the ids that they are about, so nothing is stored or looked up to check one. Their first byte
// says what they allow: 0 to 2 are those of every report, and higher ones number the attachments.
import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { hmacUnder } from '../../../kernel/secrets/hmac.ts';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import { deriveKey } from '../../../kernel/secrets/signed-token.ts';
import { perContext } from '../../../request/per-context.ts';

export type CrashFileKind = 'dump' | 'log';

export type TokenGrant = { allows: CrashFileKind | 'read'; gameId: string; reportId: string };

/** The order must not change, because it determines which bytes of the signature each token gets. */
const KINDS = ['dump', 'log', 'read'] as const;
const UUID_BYTES = 16;
const IDS_BYTES = 2 * UUID_BYTES;
const MAC_BYTES = 16;
const TOKEN_BYTES = 1 + IDS_BYTES + MAC_BYTES;

/** HMAC-SHA-512 has enough bits for 128 of them in each token. */
const macOf = perContext(({ secret }) => hmacUnder(deriveKey(secret, 'crash report'), IDS_BYTES));

/**
 * Makes all tokens of a report. To save time, one signature is made for all three, and each token ends in
 * different bytes of it, which reveal nothing about the others.
 */
export function makeTokens(
  ctx: Context,
  report: { gameId: string; reportId: string },
): Record<TokenGrant['allows'], string> {
  const bytes = Buffer.alloc(TOKEN_BYTES);
  bytes.write((report.gameId + report.reportId).replaceAll('-', ''), 1, 'hex');
  const macs = macOf(ctx)(bytes.subarray(1, 1 + IDS_BYTES));
  const tokenOf = (index: number) => {
    bytes[0] = index;
    bytes.write(macAt(macs, index), 1 + IDS_BYTES, 'latin1');
    return bytes.toString('base64url');
  };
  return { dump: tokenOf(0), log: tokenOf(1), read: tokenOf(2) };
}

/**
 * Returns what `token` allows: reading permanently, or uploading until `uploadsEndOf` its report. Returns null for an
 * invalid token.
 */
export function openFileToken(ctx: Context, token: string): TokenGrant | null {
  const bytes = Buffer.from(token, 'base64url');
  const index = bytes[0] ?? KINDS.length;
  const allows = KINDS[index];
  // Decoding ignores invalid characters, so only the exact text of a token is accepted.
  const isWhole = bytes.length === TOKEN_BYTES && bytes.toString('base64url') === token;
  if (allows === undefined || !isWhole) return null;
  const ids = bytes.subarray(1, 1 + IDS_BYTES);
  const mac = Buffer.from(macAt(macOf(ctx)(ids), index), 'latin1');
  if (!timingSafeEqual(bytes.subarray(1 + IDS_BYTES), mac)) return null;
  return { allows, gameId: uuidAt(ids, 0), reportId: uuidAt(ids, UUID_BYTES) };
}

/** When the upload addresses of a report expire. The id begins with the time of the report (RFC 9562, section 5.7). */
export function uploadsEndOf(reportId: string): Date {
  return new Date(timeOfId(reportId) + LIMITS.crashUploadSeconds * SECOND);
}

function macAt(macs: string, index: number): string {
  return macs.slice(index * MAC_BYTES, (index + 1) * MAC_BYTES);
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export type AttachmentGrant = { gameId: string; reportId: string; attachment: number };

/** The first byte of the token for attachment 0. */
const FIRST_INDEX = 16;
const SIGNED_BYTES = 1 + IDS_BYTES;

const attachmentMacOf = perContext(({ secret }) => hmacUnder(deriveKey(secret, 'crash attachment'), SIGNED_BYTES));

export function makeAttachmentToken(ctx: Context, { gameId, reportId, attachment }: AttachmentGrant): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed[0] = FIRST_INDEX + attachment;
  signed.write((gameId + reportId).replaceAll('-', ''), 1, 'hex');
  return Buffer.concat([signed, signatureOf(ctx, signed)]).toString('base64url');
}

/** Returns null for an invalid token, and for one that is not for an attachment. */
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
  return Buffer.from(attachmentMacOf(ctx)(signed).slice(0, MAC_BYTES), 'latin1');
}
