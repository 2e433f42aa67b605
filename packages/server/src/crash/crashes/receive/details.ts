// Turns the fields of a crash reporter into valid details. Unlike the API it accepts everything, because a reporter
// discards a report that is refused. What doesn't fit is cut or left out, and the metadata says so.
import { LIMITS } from '@chauffeur/contract/limits';
import { CLIENT_ID_PATTERN } from '@chauffeur/contract/operations/fields';
import {
  type CrashDetails,
  FLAG_NAMES,
  ID_NAMES,
  type SentFields,
  TEXT_FIELDS,
  type TextField,
} from '../report/fields.ts';

type Metadata = NonNullable<CrashDetails['metadata']>;
type Value = Metadata[string];

/** The fields of a crash reporter. */
type ReporterFields = { readonly [Name in keyof SentFields]?: SentFields[Name] | undefined } & {
  readonly further: Iterable<readonly [key: string, value: unknown]>;
  /** Sentences about what was left out, for the metadata. */
  readonly omissions: readonly string[];
};

/** The key of the metadata that says what was left out. */
export const OMISSIONS_KEY = 'chauffeur_omitted';

/** The key of the metadata for the text of metadata that could not be read. */
export const RAW_METADATA_KEY = 'chauffeur_raw_metadata';
/** The maximum length of that text: far more than reporters send, but not too long for a page. */
const MAX_RAW_METADATA = 8192;

/** Adds the text of metadata that could not be read, which may be longer than other values of the metadata. */
export function withRawMetadata(details: CrashDetails, raw: string | null): CrashDetails {
  if (raw === null || raw.trim() === '') return details;
  return { ...details, metadata: { ...details.metadata, [RAW_METADATA_KEY]: clip(raw, MAX_RAW_METADATA) } };
}

/**
 * Returns details that pass all acceptance rules: texts are clipped, and metadata over the limit is left out and noted.
 */
export function detailsOf({ further, omissions, ...fields }: ReporterFields): CrashDetails {
  const sent: Record<string, unknown> = {};
  for (const { name, maxLength } of TEXT_FIELDS) sent[name] = clip(fields[name] ?? '', maxLength);
  for (const name of FLAG_NAMES) if (fields[name] !== undefined) sent[name] = fields[name];
  for (const name of ID_NAMES) if (isReporterId(fields[name])) sent[name] = fields[name];
  const lost: string[] = [];
  // One key is reserved for the note.
  const metadata = metadataOf(further, LIMITS.metadataKeys - 1, lost);
  return { ...sent, metadata: addOmissions(metadata, [...omissions, ...lost]) };
}

/** Whether `id` is a valid id of a device or a session. Others are kept as metadata. */
export function isReporterId(id: unknown): id is string {
  return typeof id === 'string' && CLIENT_ID.test(id);
}

const CLIENT_ID = new RegExp(CLIENT_ID_PATTERN);

/**
 * Returns the first `maxKeys` of these fields, with values that can be stored. Adds a sentence about the others to
 * `notes`.
 */
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

/** Two keys can become the same when they are cut. The second one then ends in `~2`. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    const suffix = `~${number}`;
    free = clip(name, LIMITS.metadataKeyLength - suffix.length) + suffix;
  }
  return free;
}

/** Adds sentences to the note in the metadata about what was left out. */
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

/** Returns the first `max` characters, without U+0000 and lone surrogates, which PostgreSQL rejects. */
export function clip(text: string, max: number): string {
  if (text.length <= max && !text.includes('\u0000') && text.isWellFormed()) return text;
  const storable = text
    .slice(0, 2 * max)
    .replaceAll('\u0000', '')
    .toWellFormed();
  return storable.length <= max ? storable : [...storable].slice(0, max).join('');
}

/**
 * Ways to write 128 random bits: a UUID with or without dashes and braces, or groups of 8-4-4-8-8 digits (Breakpad on
 * Linux).
 */
const CLIENT_REFS = [
  /^\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/,
  /^[0-9a-f]{8}-([0-9a-f]{4}-){2}[0-9a-f]{8}-[0-9a-f]{8}$/,
];

/**
 * Returns a client's own id, in lowercase, if it cannot be guessed, because anyone who knows it can read the report.
 * Returns null for any other filename.
 */
export function clientRefOf(filename: string): string | null {
  const id = filename.replace(/\.dmp(\.(gz|zst))?$/i, '').toLowerCase();
  return CLIENT_REFS.some((pattern) => pattern.test(id)) ? id : null;
}

/** Ids of the game and the build, which every report has. They are not kept as metadata. */
const CLIENT_ID_FIELDS = ['app_id', 'build_id'];

function annotationsOf({ name, annotations }: TextField): readonly string[] {
  return annotations ?? [name];
}

const REPORTER_FIELDS: ReadonlySet<string> = new Set([
  ...TEXT_FIELDS.flatMap(annotationsOf),
  ...FLAG_NAMES,
  ...ID_NAMES,
  ...CLIENT_ID_FIELDS,
  'guid',
]);

/** Whether an annotation is a field of the report, and so not metadata. */
export function isReporterField(name: string): boolean {
  return REPORTER_FIELDS.has(name);
}

/** `[4711:1:1126/133441.123456:FATAL:inventory.cc(42)] Check failed: …` → `Check failed: …`: Chromium's log format. */
export function withoutLogPrefix(text: string): string {
  return text.replace(/^\s*\[[\d:./]{0,64}:?(?:FATAL|ERROR)\b[^\]\n]{0,500}\]\s*/, '');
}

/**
 * How a kind of reporter names and writes the fields. A value that isn't written so is undefined, and goes to the
 * metadata.
 */
export type Writing = {
  readonly namesOf: (field: TextField) => readonly string[];
  readonly textOf: (value: unknown) => string | undefined;
  readonly flagOf: (value: unknown) => boolean | undefined;
};

type SentValues = { -readonly [Name in keyof SentFields]?: SentFields[Name] };

/**
 * Finds the fields among what a reporter sent. `used` has the names under which they were sent, which are not metadata.
 */
export function findFields(
  sent: ReadonlyMap<string, unknown>,
  { namesOf, textOf, flagOf }: Writing,
): { fields: SentValues; used: Set<string> } {
  const used = new Set<string>(CLIENT_ID_FIELDS);
  const find = <Value>(name: string, candidates: readonly string[], read: (value: unknown) => Value | undefined) => {
    for (const candidate of candidates) {
      const value = read(sent.get(candidate));
      if (value === undefined) continue;
      used.add(candidate);
      return [[name, value] as const];
    }
    return [];
  };
  const idOf = (value: unknown) => (isReporterId(value) ? value : undefined);
  const found = [
    ...TEXT_FIELDS.flatMap((field) => find(field.name, namesOf(field), textOf)),
    ...FLAG_NAMES.flatMap((name) => find(name, [name], flagOf)),
    ...ID_NAMES.flatMap((name) => find(name, [name], idOf)),
  ];
  return { fields: Object.fromEntries(found) as SentValues, used };
}

/** Annotations are all texts. */
const ANNOTATIONS: Writing = {
  namesOf: annotationsOf,
  textOf: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
  flagOf: (value) => (typeof value === 'string' ? /^(1|true|yes)$/i.test(value) : undefined),
};

/** Reads the annotations in a form of Breakpad or Crashpad. Annotations that are not fields go to the metadata. */
export function detailsOfAnnotations(sent: ReadonlyMap<string, string>, omissions: readonly string[]): CrashDetails {
  const { fields, used } = findFields(sent, ANNOTATIONS);
  const ofElectron = used.has('_version') ? sent.get('ver') : undefined;
  if (ofElectron !== undefined) {
    used.add('ver');
    fields.engine_version = ofElectron;
  }
  if (fields.message !== undefined) fields.message = withoutLogPrefix(fields.message).trim();
  return detailsOf({ ...fields, further: [...sent].filter(([name]) => !used.has(name)), omissions });
}
