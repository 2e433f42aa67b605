// Signed tokens that carry what they permit, so that nothing has to be stored until they are used.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { HOUR } from '../clock.ts';

/** Half of the 32 bytes of HMAC-SHA-256, which RFC 2104, section 5, considers enough, and which keeps URLs short. */
const MAC_BYTES = 16;

/**
 * Derives a key for one purpose from the service's secret by HKDF (RFC 5869), so that a token for one purpose is
 * invalid for any other.
 */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `chauffeur ${purpose}`, 32));
}

/** Returns `payload` and its signature in base64url, for use in URLs. */
export function signToken(key: Uint8Array, payload: Uint8Array): string {
  return Buffer.concat([payload, macOf(key, payload)]).toString('base64url');
}

/** Returns the payload of a token that was signed with `key`; null for anything else. */
export function openToken(key: Uint8Array, token: string): Buffer | null {
  const bytes = Buffer.from(token, 'base64url');
  // Decoding skips characters that are not base64url, so only the canonical form of a token is accepted.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return null;
  const payload = bytes.subarray(0, -MAC_BYTES);
  return timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(key, payload)) ? payload : null;
}

/** The largest difference to expect between the clocks of two processes. */
const MAX_DIFFERENCE = HOUR;

/**
 * Whether a token is valid that expires at a time in milliseconds since 1970, and `lifeMs` after it was issued. One
 * that would last longer was issued while the clock was ahead.
 */
export function isCurrent(expiresAt: number, lifeMs: number, now: Date): boolean {
  const left = expiresAt - now.getTime();
  return left > 0 && left <= lifeMs + MAX_DIFFERENCE;
}

function macOf(key: Uint8Array, payload: Uint8Array): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);
}
