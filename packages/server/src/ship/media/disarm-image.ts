// Prepares the bytes of an image that anyone may have sent for the image library, whose limits of time and pixels do
// not cover everything: it unpacks all texts of a PNG into memory at once, reads all scans of a JPEG before its time
// limit begins, and looks for each frame of a WebP from the first one on.

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const JPEG_START = Buffer.from([0xff, 0xd8]);

/**
 * The chunks that are needed to show a PNG (PNG, third edition, section 11). Others are texts and times, which are
 * compressed up to a thousandfold and are not kept in any case, and the frames of an APNG, which are not shown.
 */
// cspell:ignore IHDR PLTE IDAT
const PNG_CHUNKS = /^(IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|bKGD|pHYs|eXIf)$/;
/** The bytes of the length and the type before the data of a chunk. The checksum is after it. */
const CHUNK_HEAD = 8;
const CHUNK_TAIL = 4;

/** The start of a scan. Compressed data never contains it; other data, such as a thumbnail, rarely does. */
const SCAN_START = Buffer.from([0xff, 0xda]);
/**
 * A progressive JPEG has about ten. Each takes a pass over the whole image, and can be as short as thirty bytes, so one
 * of 16 MiB would take half an hour.
 */
const MAX_SCANS = 500;

/**
 * A file is `RIFF`, its size, `WEBP`, and chunks: a type and a length before the data, which ends at an even offset.
 */
const WEBP_START = /^RIFF.{4}WEBP/s;
const WEBP_HEAD = 12;
/**
 * Each frame is a chunk. The time for reading the header grows with the square of their number: 40 ms for this many,
 * and minutes for as many as fit into 10 MB.
 */
const MAX_WEBP_CHUNKS = 5000;

/**
 * The image without what is not needed to show it. Null if it takes too long to decode. The bytes need not be those of
 * an image.
 */
export function disarmImage(bytes: Buffer): Buffer | null {
  if (bytes.subarray(0, PNG_START.length).equals(PNG_START)) return keepShownChunks(bytes);
  if (bytes.subarray(0, JPEG_START.length).equals(JPEG_START) && hasManyScans(bytes)) return null;
  if (WEBP_START.test(bytes.toString('latin1', 0, WEBP_HEAD)) && hasManyChunks(bytes)) return null;
  return bytes;
}

/** Ends before a chunk that is cut off, so that the result is as damaged as the image. */
function keepShownChunks(png: Buffer): Buffer {
  const kept: Buffer[] = [PNG_START];
  const types = new Set<string>();
  for (let at = PNG_START.length; at + CHUNK_HEAD + CHUNK_TAIL <= png.length; ) {
    const end = at + CHUNK_HEAD + png.readUInt32BE(at) + CHUNK_TAIL;
    if (end > png.length) break;
    const type = png.toString('latin1', at + 4, at + CHUNK_HEAD);
    // All others occur once.
    const isNew = type === 'IDAT' || !types.has(type);
    if (isNew && PNG_CHUNKS.test(type)) kept.push(png.subarray(at, end));
    types.add(type);
    if (type === 'IEND') break;
    at = end;
  }
  return Buffer.concat(kept);
}

function hasManyScans(jpeg: Buffer): boolean {
  let scans = 0;
  for (let at = jpeg.indexOf(SCAN_START); at >= 0 && scans <= MAX_SCANS; at = jpeg.indexOf(SCAN_START, at + 2)) scans++;
  return scans > MAX_SCANS;
}

function hasManyChunks(webp: Buffer): boolean {
  let chunks = 0;
  for (let at = WEBP_HEAD; at + CHUNK_HEAD <= webp.length && chunks <= MAX_WEBP_CHUNKS; chunks++) {
    const length = webp.readUInt32LE(at + 4);
    at += CHUNK_HEAD + length + (length % 2);
  }
  return chunks > MAX_WEBP_CHUNKS;
}
