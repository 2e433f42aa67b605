// Decides which of the attachments that a report announces may be uploaded.
import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashDetails } from './accept.ts';
import { ATTACHMENT_LIMITS } from './attachments.ts';
import { clip, OMISSIONS_KEY } from './forms/details.ts';

type Announced = NonNullable<CrashDetails['attachments']>;

/** The first ones that fit the limits. `omission` is a sentence about the others; null if there are none. */
export function announcedAttachments(attachments: Announced): { names: string[]; omission: string | null } {
  const names: string[] = [];
  let total = 0;
  for (const { name, size = 0 } of attachments) {
    const fits = size <= LIMITS.crashAttachmentBytes && total + size <= LIMITS.crashAttachmentsBytes;
    if (!fits || names.length === LIMITS.crashAttachments) continue;
    total += size;
    names.push(name);
  }
  const lost = attachments.length - names.length;
  if (lost === 0) return { names, omission: null };
  return { names, omission: `Attachments that were left out: ${lost}. ${ATTACHMENT_LIMITS}` };
}

/** The metadata with the sentence added to its note about what was left out. */
export function withOmission(
  metadata: Readonly<Record<string, unknown>>,
  omission: string | null,
): Readonly<Record<string, unknown>> {
  if (omission === null) return metadata;
  const before = metadata[OMISSIONS_KEY];
  const notes = [...(typeof before === 'string' ? [before] : []), omission];
  return { ...metadata, [OMISSIONS_KEY]: clip(notes.join(' '), LIMITS.metadataValueLength) };
}
