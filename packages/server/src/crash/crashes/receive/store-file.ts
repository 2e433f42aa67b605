// Stores a file of a report as it arrives, compressed. It is durable when the function returns, and deleted if it
// throws.
import { detectImageFormat } from '@chauffeur/contract/image-rules';
import { KIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import type { AttachmentKind } from '@chauffeur/contract/operations/crash-files';
import type { Context } from '../../../context.ts';
import { freeBuffer } from '../../../kernel/blobs/byte-source.ts';
import { PACKED_SUFFIX, putPacked } from '../../../kernel/blobs/packed.ts';
import type { FileInSpace } from '../../../kernel/blobs/spaces.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { unpackFile } from '../../../kernel/blobs/unpack-file.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { holdsJobs } from '../../../request/held-jobs.ts';
import { type Attachment, blobStemOf } from '../report/files.ts';
import { keepDump } from '../report/jobs.ts';
import { textEncodingOf } from '../report/log-text.ts';
import type { CrashFileKind } from './tokens.ts';

const EXTENSIONS = { dump: 'dmp', log: 'txt', attachment: 'bin' } as const;

/** The file has more bytes than allowed. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

/** Limits of a file's size, and of its compressed size in the store. */
export type FileLimits = { maxBytes: number; maxStored?: number };

/**
 * Stores `source` under a new key, so two uploads of the same file do not collide. A dump or a log that the sender has
 * compressed is unpacked; an attachment stays what it is. Throws FileTooLargeError past `maxBytes`, PackedTooLargeError
 * past `maxStored`, UnpackError, and errors of the store and the source.
 */
export async function storeFile(
  ctx: Context,
  reportId: string,
  kind: CrashFileKind | 'attachment',
  source: ByteSource,
  { maxBytes, maxStored = Number.POSITIVE_INFINITY }: FileLimits,
): Promise<StoredReportFile> {
  const key = `${blobStemOf(reportId)}.${newId()}.${EXTENSIONS[kind]}${PACKED_SUFFIX}`;
  try {
    const plain = kind === 'attachment' ? source : unpackFile(source);
    const keep = kind === 'dump' && holdsJobs(ctx) ? (dump: FileInSpace) => keepDump(ctx, key, dump) : undefined;
    return { key, ...(await putPacked(ctx.blobs, key, limited(plain, maxBytes), maxStored, keep)) };
  } catch (error) {
    await ctx.blobs.delete(key);
    throw error;
  }
}

/** The buffers of `source` must not be used elsewhere: their memory is released as soon as they are compressed. */
function limited(source: ByteSource, maxBytes: number): ByteSource {
  return { [Symbol.asyncIterator]: () => measure(source, maxBytes), release: freeBuffer };
}

async function* measure(source: ByteSource, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > maxBytes) throw new FileTooLargeError(`more than ${maxBytes} bytes`);
    yield bytes;
  }
}

/** This many bytes are enough to distinguish text from other content. */
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
  return { source: passOn(), kind: () => attachmentKindOf(Buffer.concat(head)) };
}

/** Characters that texts do not contain, except tabs, line breaks, form feeds and the start of terminal colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/;

export function attachmentKindOf(head: Uint8Array): AttachmentKind {
  if (detectImageFormat(head) !== null) return 'image';
  try {
    // The last character may be cut off.
    const text = new TextDecoder(textEncodingOf(head), { fatal: true }).decode(head, { stream: true });
    return BINARY.test(text) ? 'other' : 'text';
  } catch {
    return 'other';
  }
}

export type LossReason = 'too_large' | 'empty' | 'past_limit' | 'not_unpacked' | 'no_room';

const MAX_MB = LIMITS.crashFileBytes / MIB;

export const LOST_FILES: Readonly<Record<LossReason, Readonly<Record<CrashFileKind, string>>>> = {
  too_large: {
    dump: `The dump is larger than ${MAX_MB} MB and was not kept.`,
    log: `The log is larger than ${MAX_MB} MB and was not kept.`,
  },
  empty: {
    dump: 'The dump was empty.',
    log: 'The log was empty.',
  },
  not_unpacked: {
    dump: 'The dump was compressed, but damaged, cut off, or much smaller than its content, and was not kept.',
    log: 'The log was compressed, but damaged, cut off, or much smaller than its content, and was not kept.',
  },
  past_limit: {
    dump: 'The dump was not kept because the game had reached its daily limit for crash files.',
    log: 'The log was not kept because the game had reached its daily limit for crash files.',
  },
  no_room: {
    dump: 'The dump was not kept because the storage of the server was full.',
    log: 'The log was not kept because the storage of the server was full.',
  },
};

export const LOST_ATTACHMENTS =
  'The attachments were not kept because the game had reached its daily limit for crash files.';

export const LOST_FOR_ROOM = 'Files were left out because the storage of the server was full.';

/** The reason for the loss of a dump that would have been uploaded after the report. */
export const NOT_REQUESTED = 'The dump was not requested because the game had reached its daily limit for crash files.';

export const ATTACHMENT_LIMITS = `A report has up to ${LIMITS.crashAttachments} attachments, of up to ${LIMITS.crashAttachmentBytes / MIB} MB each and ${LIMITS.crashAttachmentsBytes / MIB} MB together.`;

/** `size` is the file's size, `stored` its compressed size in the store, in bytes. */
export type StoredReportFile = { key: string; size: number; stored: number };

/** An attachment that was sent with its report. */
export type StoredAttachment = StoredReportFile & Pick<Attachment, 'name' | 'kind'>;
