// Turns the fields of a crash reporter into valid details. Unlike the API it accepts everything, because a reporter
// discards a report that is refused.
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf } from '@chauffeur/contract/operation';
import type { createCrash } from '@chauffeur/contract/operations/crashes';
import { CLIENT_ID_PATTERN } from '@chauffeur/contract/operations/fields';

/** The fields of a report. */
export type CrashDetails = InputOf<typeof createCrash>;
type Metadata = NonNullable<CrashDetails['metadata']>;
type Value = Metadata[string];

/** The fields of a crash reporter. */
export type ReporterFields = {
  readonly app_name?: string | undefined;
  readonly app_version?: string | undefined;
  readonly engine_version?: string | undefined;
  readonly os?: string | undefined;
  readonly arch?: string | undefined;
  readonly message?: string | undefined;
  readonly user_message?: string | undefined;
  readonly anonymous?: boolean;
  readonly device_uid?: string | undefined;
  readonly session_id?: string | undefined;
  readonly further: Iterable<readonly [key: string, value: unknown]>;
  /** Sentences about what was left out, for the metadata. */
  readonly omissions: readonly string[];
};

/** The maximum lengths of texts in the contract. */
export const MAX_LENGTHS = {
  app_name: 255,
  app_version: 64,
  engine_version: 64,
  os: 64,
  arch: 64,
  message: LIMITS.metadataValueLength,
  user_message: LIMITS.userMessageLength,
} as const;

/** The key of the metadata that says what was left out. */
export const OMISSIONS_KEY = 'chauffeur_omitted';

/** The key of the metadata for the text of metadata that could not be read. */
export const RAW_METADATA_KEY = 'chauffeur_raw_metadata';
/** Characters of that text: far more than reporters send, but not too long for a page. */
const MAX_RAW_METADATA = 8192;

/** Adds the text of metadata that could not be read. It may be longer than other values of the metadata. */
export function withRawMetadata(details: CrashDetails, raw: string | null): CrashDetails {
  if (raw === null || raw.trim() === '') return details;
  return { ...details, metadata: { ...details.metadata, [RAW_METADATA_KEY]: clip(raw, MAX_RAW_METADATA) } };
}

/** Details that pass all acceptance rules: texts are clipped, and metadata over the limit is left out and noted. */
export function detailsOf({
  anonymous,
  device_uid,
  session_id,
  further,
  omissions,
  ...texts
}: ReporterFields): CrashDetails {
  const clipped = Object.entries(MAX_LENGTHS).map(([name, max]) => [
    name,
    clip(texts[name as keyof typeof MAX_LENGTHS] ?? '', max),
  ]);
  const lost: string[] = [];
  return {
    ...Object.fromEntries(clipped),
    ...(anonymous !== undefined && { anonymous }),
    ...(isReporterId(device_uid) && { device_uid }),
    ...(isReporterId(session_id) && { session_id }),
    // One key is reserved for the note.
    metadata: addOmissions(metadataOf(further, LIMITS.metadataKeys - 1, lost), [...omissions, ...lost]),
  };
}

/** Whether it is a valid id of a device or a session. Others are kept as metadata. */
export function isReporterId(id: unknown): id is string {
  return typeof id === 'string' && CLIENT_ID.test(id);
}

const CLIENT_ID = new RegExp(CLIENT_ID_PATTERN);

/** The first `maxKeys` of these fields, with values that can be stored. Adds a sentence about the others to `notes`. */
export function metadataOf(further: ReporterFields['further'], maxKeys: number, notes: string[] = []): Metadata {
  const metadata = new Map<string, Value>();
  let omitted = 0;
  for (const [key, value] of further) {
    if (metadata.size >= maxKeys) omitted += 1;
    else metadata.set(freeName(clip(key, LIMITS.metadataKeyLength), metadata), storableOf(value));
  }
  if (omitted > 0) notes.push(`${omitted} more fields were left out.`);
  // Keys such as `__proto__` must not be assigned.
  return Object.fromEntries(metadata);
}

/** Two keys can be the same once they are cut: the second one ends in `~2`. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    const suffix = `~${number}`;
    free = clip(name, LIMITS.metadataKeyLength - suffix.length) + suffix;
  }
  return free;
}

/** The metadata with the sentences added to its note about what was left out. */
export function addOmissions(metadata: Metadata, omissions: readonly string[]): Metadata {
  if (omissions.length === 0) return metadata;
  const before = metadata[OMISSIONS_KEY];
  const notes = [...(typeof before === 'string' ? [before] : []), ...omissions];
  return { ...metadata, [OMISSIONS_KEY]: clip(notes.join(' '), LIMITS.metadataValueLength) };
}

function storableOf(value: unknown): Value {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return clip(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), LIMITS.metadataValueLength);
}

/** The first `max` characters, without U+0000 and lone surrogates, which PostgreSQL rejects. */
export function clip(text: string, max: number): string {
  const storable = text
    .slice(0, 2 * max)
    .replaceAll('\u0000', '')
    .toWellFormed();
  return storable.length <= max ? storable : [...storable].slice(0, max).join('');
}

/**
 * Forms of 128 random bits: a UUID with or without dashes and braces, or groups of 8-4-4-8-8 digits (Breakpad on
 * Linux).
 */
const CLIENT_REFS = [
  /^\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/,
  /^[0-9a-f]{8}-([0-9a-f]{4}-){2}[0-9a-f]{8}-[0-9a-f]{8}$/,
];

/**
 * A client's own id, in lowercase, if it cannot be guessed; anyone with it can read the report. Null for any other
 * filename.
 */
export function clientRefOf(filename: string): string | null {
  const id = filename.replace(/\.dmp(\.(gz|zst))?$/i, '').toLowerCase();
  return CLIENT_REFS.some((pattern) => pattern.test(id)) ? id : null;
}
