// Reads the body of a request to `/store/`: one event as JSON, which old clients compress and write as base64.
import { inflateRawSync, inflateSync } from 'node:zlib';
import { parseJson } from '../json.ts';
import { MAX_EVENT_BYTES } from './kinds.ts';

/** The event; undefined if the bytes are not one, or too large. Any Content-Encoding is decoded already. */
export function parseStoreBody(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_EVENT_BYTES) return undefined;
  const start = bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
  if (start === 0x7b) return parseJson(bytes);
  const packed = Buffer.from(Buffer.from(bytes).toString('latin1'), 'base64');
  if (packed.length === 0) return undefined;
  for (const inflate of [inflateSync, inflateRawSync]) {
    try {
      return parseJson(inflate(packed, { maxOutputLength: MAX_EVENT_BYTES }));
    } catch {
      // Not this form, or too large.
    }
  }
  return parseJson(packed);
}
