// The attachments of a report: files besides its dump and log, as they are stored in its row.
import { LIMITS } from '@chauffeur/contract/limits';
import type { AttachmentKind } from '@chauffeur/contract/operations/crash-attachments';

/** Stored as JSON. The position in the list never changes, so it identifies the attachment. */
export type Attachment = {
  readonly name: string;
  readonly kind: AttachmentKind;
  /** Null for a file that was announced but has not arrived. */
  readonly key: string | null;
  /** Uncompressed, in bytes. */
  readonly size: number;
  /** The image encoded again, which is shown. */
  readonly image?: { readonly key: string; readonly size: number; readonly width: number; readonly height: number };
  /** Why the image cannot be shown. */
  readonly problem?: string;
};

/** Control characters, and characters that change the direction of text or have no width. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\ufffd]/gu;

/**
 * A name that is safe to show and to download under: without folders, invisible characters and surrounding spaces and
 * dots, at most as long as allowed. `taken` are the names of other attachments; a name that is taken gets a number.
 */
export function attachmentName(sent: string, taken: readonly string[] = []): string {
  const base = sent.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const cleaned = base.replace(INVISIBLE, '').replace(/^[\s.]+|[\s.]+$/g, '');
  const [stem, extension] = splitName(cleaned === '' ? 'file' : cleaned);
  const used = new Set(taken.map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const suffix = `${number === 1 ? '' : ` (${number})`}${extension}`;
    const name = cut(stem, LIMITS.attachmentNameLength - suffix.length) + suffix;
    if (!used.has(name.toLowerCase())) return name;
  }
}

/** The part before the last dot, and the rest. */
function splitName(name: string): [stem: string, extension: string] {
  const [, stem = name, extension = ''] = /^(.+)(\.[^.]{1,20})$/su.exec(name) ?? [];
  return [stem, extension];
}

function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : text
        .slice(0, max)
        .toWellFormed()
        .replace(/\ufffd$/, '');
}

/** The keys of the files of attachments. */
export function attachmentKeys(attachments: readonly Attachment[]): string[] {
  return attachments.flatMap(({ key, image }) => [key, image?.key ?? null]).filter((key) => key !== null);
}
