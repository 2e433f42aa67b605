// Decides which of the attachments that a report announces may be uploaded.
import { LIMITS } from '@chauffeur/contract/limits';
import { ATTACHMENT_LIMITS } from './attachments.ts';
import type { CrashDetails } from './forms/details.ts';

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
