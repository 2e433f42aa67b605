// Stores the attachments of a report that arrives complete: as many as allowed, and notes about the others.
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { type ByteSource, PackedTooLargeError } from '../../../kernel/blobs/store.ts';
import { BodyTooLargeError } from '../../../request/body.ts';
import { attachmentName } from '../report/attachments.ts';
import type { StoredAttachment, StoredFile } from './reports.sql.ts';
import { sniff } from './sniff.ts';
import { FileTooLargeError, storeFile } from './store-file.ts';

/** Names in a note. */
const MAX_NAMED = 5;
export const ATTACHMENT_LIMITS = `A report has up to ${LIMITS.crashAttachments} attachments, of up to ${LIMITS.crashAttachmentBytes / MIB} MB each and ${LIMITS.crashAttachmentsBytes / MIB} MB together.`;

export class Attachments {
  readonly #ctx: Context;
  readonly #reportId: string;
  readonly stored: StoredAttachment[] = [];
  readonly #lost: string[] = [];

  constructor(ctx: Context, reportId: string) {
    this.#ctx = ctx;
    this.#reportId = reportId;
  }

  /**
   * Stores a file, or reads it and notes why it was not kept. Returns how many bytes were stored, compressed. Throws
   * errors of the source and the store.
   */
  async add(sentName: string, source: ByteSource, maxStored: number, isCut: () => boolean): Promise<number> {
    const { name, maxBytes } = this.#nextOf(sentName);
    if (maxBytes <= 0 || maxStored <= 0) {
      for await (const _ of source);
      this.#lost.push(name);
      return 0;
    }
    const sniffed = sniff(source);
    try {
      const file = await storeFile(this.#ctx, this.#reportId, 'attachment', sniffed.source, { maxBytes, maxStored });
      if (isCut()) {
        await this.#ctx.blobs.delete(file.key);
        this.#lost.push(name);
        return 0;
      }
      this.stored.push({ name, kind: sniffed.kind(), ...file });
      return file.stored;
    } catch (error) {
      const isTooLarge = error instanceof FileTooLargeError || error instanceof BodyTooLargeError;
      if (!isTooLarge && !(error instanceof PackedTooLargeError)) throw error;
      this.#lost.push(name);
      return 0;
    }
  }

  /** Adds a dump that was already stored. Returns false, and notes that it is left out, if it is past the limits. */
  adopt(sentName: string, file: StoredFile): boolean {
    const { name, maxBytes } = this.#nextOf(sentName);
    if (file.size > maxBytes) this.#lost.push(name);
    else this.stored.push({ name, kind: 'other', ...file });
    return file.size <= maxBytes;
  }

  /** The name of the next file, and how large it may be. */
  #nextOf(sentName: string): { name: string; maxBytes: number } {
    const name = attachmentName(
      sentName,
      this.stored.map((attachment) => attachment.name),
    );
    if (this.stored.length >= LIMITS.crashAttachments) return { name, maxBytes: 0 };
    const total = this.stored.reduce((sum, { size }) => sum + size, 0);
    return { name, maxBytes: Math.min(LIMITS.crashAttachmentBytes, LIMITS.crashAttachmentsBytes - total) };
  }

  /** Notes that a file was left out without reading it. */
  leaveOut(sentName: string): void {
    this.#lost.push(attachmentName(sentName));
  }

  /** Sentences about the files that were left out. */
  get omissions(): string[] {
    if (this.#lost.length === 0) return [];
    const named = this.#lost.slice(0, MAX_NAMED).join(', ');
    const more = this.#lost.length > MAX_NAMED ? ` and ${this.#lost.length - MAX_NAMED} more` : '';
    return [`Attachments were left out: ${named}${more}. ${ATTACHMENT_LIMITS}`];
  }
}
