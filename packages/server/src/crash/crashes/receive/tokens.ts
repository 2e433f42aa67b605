// The tokens of a report: one for each upload address, which allows one file, and one for reading its state, reason and
// stack.
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

/** The order must not change, because it determines which part of the signature each token gets. */
const KINDS = ['dump', 'log', 'read'] as const;
const UUID_BYTES = 16;
const IDS_BYTES = 2 * UUID_BYTES;
const MAC_BYTES = 16;
const TOKEN_BYTES = 1 + IDS_BYTES + MAC_BYTES;

/** HMAC-SHA-512 has enough bits for 128 of them in each token. */
const macOf = perContext(({ secret }) => hmacUnder(deriveKey(secret, 'crash report'), IDS_BYTES));

/**
 * Makes all tokens of a report. To save time, one signature is made for all three, and each token ends in a different
 * part of it, which reveals nothing about the others.
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
    bytes.write(partOf(macs, index), 1 + IDS_BYTES, 'latin1');
    return bytes.toString('base64url');
  };
  return { dump: tokenOf(0), log: tokenOf(1), read: tokenOf(2) };
}

/**
 * What `token` allows: reading permanently, or uploading until `uploadsEndOf` its report. Null for an invalid token.
 */
export function openToken(ctx: Context, token: string): TokenGrant | null {
  const bytes = Buffer.from(token, 'base64url');
  const index = bytes[0] ?? KINDS.length;
  const allows = KINDS[index];
  // Decoding ignores invalid characters, so only the exact text of a token is accepted.
  const isWhole = bytes.length === TOKEN_BYTES && bytes.toString('base64url') === token;
  if (allows === undefined || !isWhole) return null;
  const ids = bytes.subarray(1, 1 + IDS_BYTES);
  const mac = Buffer.from(partOf(macOf(ctx)(ids), index), 'latin1');
  if (!timingSafeEqual(bytes.subarray(1 + IDS_BYTES), mac)) return null;
  return { allows, gameId: uuidAt(ids, 0), reportId: uuidAt(ids, UUID_BYTES) };
}

/** When the upload addresses of a report expire. The id begins with the time of the report (RFC 9562, section 5.7). */
export function uploadsEndOf(reportId: string): Date {
  return new Date(timeOfId(reportId) + LIMITS.crashUploadSeconds * SECOND);
}

function partOf(macs: string, index: number): string {
  return macs.slice(index * MAC_BYTES, (index + 1) * MAC_BYTES);
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
