// Detects what a file is from its first bytes, while it is stored.
import { detectImageFormat } from '@chauffeur/contract/image-format';
import { KIB } from '@chauffeur/contract/limits';
import type { AttachmentKind } from '@chauffeur/contract/operations/crash-attachments';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { textEncodingOf } from '../report/text-encoding.ts';

/** Enough to tell text from other content. */
const HEAD_BYTES = 4 * KIB;

/** Passes the bytes on, and keeps a copy of the first ones: the buffers of a source are reused. */
export function sniff(source: ByteSource): { source: ByteSource; kind: () => AttachmentKind } {
  const head: Buffer[] = [];
  let size = 0;
  async function* passOn(): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      if (size < HEAD_BYTES) {
        const start = Buffer.from(bytes.subarray(0, HEAD_BYTES - size));
        head.push(start);
        size += start.length;
      }
      yield bytes;
    }
  }
  return { source: passOn(), kind: () => kindOf(Buffer.concat(head)) };
}

/** Characters that texts do not contain, except tabs, line breaks, form feeds and the start of terminal colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/;

export function kindOf(head: Uint8Array): AttachmentKind {
  if (detectImageFormat(head) !== null) return 'image';
  try {
    // The last character may be cut off.
    const text = new TextDecoder(textEncodingOf(head), { fatal: true }).decode(head, { stream: true });
    return BINARY.test(text) ? 'other' : 'text';
  } catch {
    return 'other';
  }
}
