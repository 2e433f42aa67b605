// Tokens that carry what they allow, signed, so that nothing about them need be stored until they are used.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Of the 32 bytes of HMAC-SHA-256; RFC 2104, section 5, has half as enough, and addresses stay short. */
const MAC_BYTES = 16;

/** A key for one purpose, made of the service’s secret by HKDF (RFC 5869): a token for one thing opens no other. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `chauffeur ${purpose}`, 32));
}

/** `payload` and its signature, base64url: fit for an address. */
export function signToken(key: Uint8Array, payload: Uint8Array): string {
  return Buffer.concat([payload, macOf(key, payload)]).toString('base64url');
}

/** The payload of a token that was signed with `key`; null for any other text. */
export function openToken(key: Uint8Array, token: string): Buffer | null {
  const bytes = Buffer.from(token, 'base64url');
  // Decoding skips what is not base64url: only the one way of writing a token counts.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return null;
  const payload = bytes.subarray(0, -MAC_BYTES);
  return timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(key, payload)) ? payload : null;
}

function macOf(key: Uint8Array, payload: Uint8Array): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);
}
