// Identifiers on the wire, each in one form: of events, sessions, modules and addresses.

/** 32 lower-case hex digits; null for anything but a UUID with or without dashes, and for the one of only zeros. */
export function eventIdOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const hex = value
    .trim()
    .replace(/^\{|\}$/g, '')
    .replaceAll('-', '')
    .toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) && !/^0+$/.test(hex) ? hex : null;
}

/** `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, with the age after another dash, or the form of Breakpad. */
const DEBUG_ID = /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?-?([0-9a-f]{0,8})$/i;

/** Unity leaves out the zeros at the end of an id that was made from a short build id. */
const SHORT_DEBUG_ID = /^[0-9a-f]{16}$/i;

/**
 * The debug id of a module as in Breakpad's symbol files: 32 upper-case hex digits, and the age in lower-case ones.
 * Null for any other text, and for an id of zeros, which is that of a mapping without a file.
 */
export function debugIdOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const sent = value.trim();
  const [, ...parts] = DEBUG_ID.exec(SHORT_DEBUG_ID.test(sent) ? sent.padEnd(32, '0') : sent) ?? [];
  const age = parts.pop() ?? '';
  const id = parts.join('').toUpperCase();
  if (id === '' || /^0+$/.test(id)) return null;
  return id + (age === '' ? '0' : Number.parseInt(age, 16).toString(16));
}

/**
 * The debug id of an ELF file whose build id is known: its first 16 bytes, read as a GUID of little-endian numbers. A
 * shorter build id, such as that of LLD's fast mode, is filled up with zeros. Null if it has less than 8 bytes.
 */
export function debugIdOfBuildId(buildId: string): string | null {
  const hex = buildId.toUpperCase().padEnd(32, '0');
  if (!/^[0-9A-F]{16,}$/i.test(buildId) || /^0+$/.test(hex.slice(0, 32))) return null;
  const swapped = (from: number, to: number) => (hex.slice(from, to).match(/../g) ?? []).reverse().join('');
  return `${swapped(0, 8)}${swapped(8, 12)}${swapped(12, 16)}${hex.slice(16, 32)}0`;
}

/** Hex digits of a build id or a code id, in lower case; null for any other text. */
export function codeIdOf(value: unknown): string | null {
  return typeof value === 'string' && /^[0-9a-f]{1,80}$/i.test(value) && !/^0+$/.test(value)
    ? value.toLowerCase()
    : null;
}

const MAX_ADDRESS = 2n ** 64n - 1n;

/** An address as `0x1f`, from such a text or from a number; null for anything else, and beyond 64 bits. */
export function addressOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= 0n && value <= MAX_ADDRESS ? value : null;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value !== 'string' || !/^\s*(?:0x[0-9a-f]{1,16}|\d{1,20})\s*$/i.test(value)) return null;
  return addressOf(BigInt(value.trim()));
}

export function formatAddress(address: bigint): string {
  return `0x${address.toString(16)}`;
}
