// Makes facts of what a crash reporter sent: generous where the API is strict, since a reporter that is refused drops the report.
import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashFacts } from '../accept.ts';

export type Metadata = NonNullable<CrashFacts['metadata']>;
type Value = Metadata[string];

/** The texts of a report by their fields, and what else was said. */
export type Said = {
  readonly app_name?: string | undefined;
  readonly app_version?: string | undefined;
  readonly engine_version?: string | undefined;
  readonly os?: string | undefined;
  readonly arch?: string | undefined;
  readonly message?: string | undefined;
  readonly user_message?: string | undefined;
  readonly anonymous?: boolean;
  readonly further: Iterable<readonly [key: string, value: unknown]>;
  /** What was left out, in words; kept in the metadata. */
  readonly omissions: readonly string[];
};

/** Most characters of each text: those of the contract. */
const LENGTHS = {
  app_name: 255,
  app_version: 64,
  engine_version: 64,
  os: 64,
  arch: 64,
  message: LIMITS.metadataValueLength,
  user_message: LIMITS.userMessageLength,
} as const;

/** The key in the metadata under which the service says what it left out. */
export const OMISSIONS_KEY = 'chauffeur_omitted';

/** The key in the metadata under which the service keeps the text of metadata that could not be read. */
export const RAW_METADATA_KEY = 'chauffeur_raw_metadata';
/** Characters of that text: far more than any reporter sends, and little enough for every page that shows a report. */
const MAX_RAW_METADATA = 8192;

/** The facts with the text of metadata that could not be read, which may be longer than a value that a client sends. */
export function withRawMetadata(facts: CrashFacts, raw: string | null): CrashFacts {
  if (raw === null || raw.trim() === '') return facts;
  return { ...facts, metadata: { ...facts.metadata, [RAW_METADATA_KEY]: clip(raw, MAX_RAW_METADATA) } };
}

/** Facts that every rule of acceptance takes: texts are clipped, and metadata over the limit is left out and noted. */
export function factsOf({ anonymous, further, omissions, ...texts }: Said): CrashFacts {
  const clipped = Object.entries(LENGTHS).map(([name, most]) => [
    name,
    clip(texts[name as keyof typeof LENGTHS] ?? '', most),
  ]);
  return {
    ...Object.fromEntries(clipped),
    ...(anonymous !== undefined && { anonymous }),
    metadata: metadataOf(further, omissions),
  };
}

function metadataOf(further: Said['further'], omissions: readonly string[]): Metadata {
  const metadata = new Map<string, Value>();
  let left = 0;
  for (const [key, value] of further) {
    const name = clip(key, LIMITS.metadataKeyLength);
    // One place is kept for the note.
    if (metadata.has(name) || metadata.size >= LIMITS.metadataKeys - 1) left += 1;
    else metadata.set(name, storableOf(value));
  }
  const notes = left === 0 ? omissions : [...omissions, `${left} more fields were left out`];
  if (notes.length > 0) metadata.set(OMISSIONS_KEY, clip(`${notes.join('; ')}.`, LIMITS.metadataValueLength));
  // Not by assignment: `__proto__` is a key like any other.
  return Object.fromEntries(metadata);
}

function storableOf(value: unknown): Value {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return clip(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), LIMITS.metadataValueLength);
}

/** At most `most` characters that PostgreSQL stores: it takes neither U+0000 nor half of a surrogate pair. */
export function clip(text: string, most: number): string {
  const storable = text
    .slice(0, 2 * most)
    .replaceAll('\u0000', '')
    .toWellFormed();
  return storable.length <= most ? storable : [...storable].slice(0, most).join('');
}

/** How clients write 128 random bits: as a UUID, with or without dashes and braces; Breakpad on Linux in groups of 8-4-4-8-8. */
const CLIENT_REFS = [
  /^\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/,
  /^[0-9a-f]{8}-([0-9a-f]{4}-){2}[0-9a-f]{8}-[0-9a-f]{8}$/,
];

/** A client’s own id, in lowercase, if it is too long to guess: anyone who knows it can read the report. Null for any other name. */
export function clientRefOf(filename: string): string | null {
  const id = filename.replace(/\.dmp$/i, '').toLowerCase();
  return CLIENT_REFS.some((pattern) => pattern.test(id)) ? id : null;
}
