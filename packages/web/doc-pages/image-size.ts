// Reads the size of an image of the documentation, so that its page keeps its place while it loads.

export type Size = { readonly width: number; readonly height: number };

/**
 * Reads the size of a lossy WebP without transparency (RFC 9649), or of an SVG that begins with its view box. Throws
 * for all others.
 */
export function readImageSize(bytes: Buffer): Size {
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 16) === 'WEBPVP8 ';
  // The upper two bits of each number are a scale, which no program uses.
  if (isWebp && bytes.length >= 30)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const [, width, height] = /^<svg [^>]*viewBox="0 0 (\d+) (\d+)"/.exec(bytes.toString('utf8', 0, 500)) ?? [];
  if (width === undefined) throw new Error('not a lossy WebP or SVG image');
  return { width: Number(width), height: Number(height) };
}
