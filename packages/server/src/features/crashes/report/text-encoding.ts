// Detects UTF-16, which programs for Windows write.

/** Enough to be sure, even if the text begins with a table of boxes. */
const SAMPLE_BYTES = 4096;

/**
 * The encoding of a text, or of a part of one that begins at an even position. In UTF-16 a text in a Latin script has a
 * zero in nearly every second byte; UTF-8 has none.
 */
export function textEncodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const [high = 0, low = 0] = zeros;
  const many = sample.length / 4;
  if (low > many && high === 0) return 'utf-16le';
  return high > many && low === 0 ? 'utf-16be' : 'utf-8';
}
