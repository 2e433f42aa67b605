// The files of a report in the blob store: their names, keys and deletion. The keys and the partitions of crash_reports
// are by month (UTC), because reports are dropped by month.
import { LIMITS } from '@chauffeur/contract/limits';
import type { AttachmentKind } from '@chauffeur/contract/operations/crash-files';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { PACKED_SUFFIX } from '../../../kernel/blobs/packed.ts';
import type { Partition } from '../../../kernel/database/partitions.ts';
import { firstIdAt, timeOfId } from '../../../kernel/secrets/ids.ts';

/** `2026_11` for a time in November 2026. Months sort as text. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM'.length).replace('-', '_');
}

/** The lowest UUIDv7 (RFC 9562, section 5.7) of the month of `time`, or of the month that is `months` later. */
export function firstIdOf(time: Date, months = 0): string {
  return firstIdAt(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

/** The partition for the month of `time`, such as `crash_reports_2026_11`. */
export function reportPartitionOf(time: Date): Partition {
  return {
    table: 'crash_reports',
    column: 'report_id',
    type: 'uuid',
    name: `crash_reports_${monthOf(time)}`,
    from: firstIdOf(time),
    to: firstIdOf(time, 1),
  };
}

/** The prefix of every key of a report's file. */
export const CRASH_PREFIX = 'crashes/';

/** The columns of a report with the keys of its files. */
export type FileKeys = {
  dump_key: string | null;
  log_key: string | null;
  stack_key: string | null;
  event_key: string | null;
  attachments: readonly Attachment[];
};

/**
 * The start of the keys of a report's files: `crashes/2026_11/3f/<report id>`. The month comes first because reports
 * are dropped by month. The last two digits of the id spread the files over 256 folders: creating a folder durably
 * costs more than writing the file, and these soon all exist.
 */
export function blobStemOf(reportId: string): string {
  return `${CRASH_PREFIX}${monthOf(new Date(timeOfId(reportId)))}/${reportId.slice(-2)}/${reportId}`;
}

/** The keys that are set. */
export function keysOf({ dump_key, log_key, stack_key, event_key, attachments }: FileKeys): string[] {
  return [dump_key, log_key, stack_key, event_key, ...attachmentKeys(attachments)].filter((key) => key !== null);
}

/** Deletes the files of a report that has no row. If a file cannot be deleted now, the sweep deletes it later. */
export async function deleteReportFiles(ctx: Context, files: FileKeys): Promise<void> {
  for (const key of keysOf(files)) {
    try {
      await ctx.blobs.delete(key);
    } catch (err) {
      ctx.log.warn({ err, key }, 'could not delete a file of a crash report; the sweep will try again');
    }
  }
}

/** Stored as JSON. The position in the list never changes, so it identifies the attachment. */
export type Attachment = {
  readonly name: string;
  readonly kind: AttachmentKind;
  /** The key of the blob; null for a file that was announced but has not arrived. */
  readonly key: string | null;
  /** Uncompressed, in bytes. */
  readonly size: number;
  /** The image encoded again, which is shown. */
  readonly image?: { readonly key: string; readonly size: number; readonly width: number; readonly height: number };
  /** Why the image cannot be shown. */
  readonly problem?: string;
};

/** The names of logs, also compressed ones. */
export const LOG_NAME = /\.(log|txt)(\.(gz|zst))?$/i;

/** Whether it may be a log: Sentry's SDKs send logs as attachments. */
export function isLogAttachment({ name, kind }: Pick<Attachment, 'name' | 'kind'>): boolean {
  return kind === 'text' && LOG_NAME.test(name);
}

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
function attachmentKeys(attachments: readonly Attachment[]): string[] {
  return attachments.flatMap(({ key, image }) => [key, image?.key ?? null]).filter((key) => key !== null);
}

/** Sizes are those of the unpacked files; those of stacks and events are unknown. */
export const reportBlobs = sql`select file.key, file.size, null::text as sha256,
    case when file.key like ${sql.lit(`%${PACKED_SUFFIX}`)} then 'zstd' end as packing
  from crash_reports,
    lateral jsonb_to_recordset(
      jsonb_build_array(
        jsonb_build_object('key', dump_key, 'size', dump_size),
        jsonb_build_object('key', log_key, 'size', log_size),
        jsonb_build_object('key', stack_key),
        jsonb_build_object('key', event_key)
      ) || attachments || jsonb_path_query_array(attachments, '$[*].image')
    ) as file (key text, size bigint)
  where file.key is not null`;

/** Those of attachments that arrived before their event (crash/sentry). */
export const waitingBlobs = sql`select file.key, file.size, null::text as sha256,
    case when file.key like ${sql.lit(`%${PACKED_SUFFIX}`)} then 'zstd' end as packing
  from sentry_parts, lateral jsonb_to_recordset(attachments) as file (key text, size bigint)`;
