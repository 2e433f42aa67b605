// The fields that a game sends about a crash, each described once: how it is read from a request, where it is stored,
// and how developers see it. A field has one name: in requests and responses, whose contract also limits its length,
// and as a column of crash_reports. Files, metadata, and what the server finds out are not fields in this sense.

import { redactUserPaths } from '@chauffeur/contract/home-folders';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf } from '@chauffeur/contract/operation';
import { CrashInput, type createCrash } from '@chauffeur/contract/operations/crash-reports';
import { ownValue } from '@chauffeur/contract/own-value';
import { sql } from 'kysely';
import type { Column } from '../../../kernel/database/bulk-rows.ts';

/** What a game sends about a crash: the fields, which files follow, and metadata. */
export type CrashDetails = InputOf<typeof createCrash>;

type Field = { readonly name: keyof CrashDetails } & (
  | {
      /** A text; empty if the game doesn't send it. */
      readonly kind: 'text';
      /** The column of the build with the value for reports that come without it. */
      readonly ofBuild?: 'version' | 'engine_version' | 'os' | 'arch';
      /** Turns the spellings of a value into one. */
      readonly canonical?: (text: string) => string;
      /** Whether it may contain paths with names of users, which developers don't see. */
      readonly hasPaths?: true;
      /** Its names in the forms of Breakpad and Crashpad, in order of preference. By default, the name of the field. */
      readonly annotations?: readonly string[];
      /** Its names in the JSON of an engine's form, in order of preference. By default, the name of the field. */
      readonly engineKeys?: readonly string[];
    }
  /** True or false; false if the game doesn't send it. */
  | { readonly kind: 'flag' }
  /** An id of a device or a session, as in events; null if the game doesn't send it. */
  | { readonly kind: 'id' }
);

/**
 * Annotations that say why the program stopped, in order of preference: Chromium's fatal log message, what a game sends
 * itself, Android's abort message as Crashpad notes it, and those of Electron, Firefox and others.
 */
export const MESSAGE_ANNOTATIONS: readonly string[] = [
  ...['LOG_FATAL', 'message', 'error_message', 'abort_message', 'electron.v8-fatal.message', 'MozCrashReason'],
  ...['fatal_message', 'fatal_error', 'crash_message', 'assertion', 'assert_message'],
];

/**
 * Breakpad and Crashpad call the game's name and version `prod` and `ver`. Electron calls them `_productName` and
 * `_version`, because its own version is `ver`.
 */
const FIELDS = [
  { name: 'app_name', kind: 'text', annotations: ['_productName', 'app_name', 'prod', 'product', 'ProductName'] },
  {
    name: 'app_version',
    kind: 'text',
    ofBuild: 'version',
    annotations: ['_version', 'app_version', 'ver', 'version', 'Version'],
  },
  { name: 'engine_version', kind: 'text', ofBuild: 'engine_version' },
  {
    name: 'os',
    kind: 'text',
    ofBuild: 'os',
    canonical: canonicalSystem,
    annotations: ['os', 'plat', 'platform'],
    engineKeys: ['os', 'os_name', 'platform'],
  },
  {
    name: 'arch',
    kind: 'text',
    ofBuild: 'arch',
    canonical: canonicalProcessor,
    annotations: ['arch', 'cpu'],
    engineKeys: ['arch', 'cpu_arch', 'architecture'],
  },
  {
    name: 'message',
    kind: 'text',
    hasPaths: true,
    annotations: MESSAGE_ANNOTATIONS,
    engineKeys: ['message', 'crash_message', 'error_message', 'error'],
  },
  {
    name: 'user_message',
    kind: 'text',
    hasPaths: true,
    annotations: ['user_message', 'comments', 'Comments'],
    engineKeys: ['user_message', 'comments', 'user_description'],
  },
  { name: 'anonymous', kind: 'flag' },
  { name: 'device_uid', kind: 'id' },
  { name: 'session_id', kind: 'id' },
] as const satisfies readonly Field[];

type NamesOf<Kind> = Extract<(typeof FIELDS)[number], { kind: Kind }>['name'];
type TextName = NamesOf<'text'>;

/** The values of the fields, as they are stored. */
export type SentFields = Record<TextName, string> &
  Record<NamesOf<'flag'>, boolean> &
  Record<NamesOf<'id'>, string | null>;

export type TextField = Extract<Field, { kind: 'text' }> & { readonly name: TextName; readonly maxLength: number };

export const TEXT_FIELDS: readonly TextField[] = FIELDS.filter((field) => field.kind === 'text').map((field) => ({
  ...field,
  maxLength: (CrashInput.properties[field.name] as { maxLength?: number }).maxLength!,
}));
export const FLAG_NAMES = FIELDS.filter(({ kind }) => kind === 'flag').map(({ name }) => name) as NamesOf<'flag'>[];
export const ID_NAMES = FIELDS.filter(({ kind }) => kind === 'id').map(({ name }) => name) as NamesOf<'id'>[];

/** The fields of a report to be stored. Expects texts that are not too long, and valid ids. */
export function sentFieldsOf(details: CrashDetails): SentFields {
  const texts = TEXT_FIELDS.map(({ name, canonical }) => {
    const text = details[name] ?? '';
    return [name, canonical?.(text) ?? text];
  });
  const flags = FLAG_NAMES.map((name) => [name, details[name] ?? false]);
  const ids = ID_NAMES.map((name) => [name, details[name] ?? null]);
  return Object.fromEntries([...texts, ...flags, ...ids]) as SentFields;
}

type FieldColumn = Column<{ readonly sent: SentFields }>;

/** The columns of crash_reports with the fields, for a statement that inserts rows `item` joined with their `build`. */
export const FIELD_COLUMNS: readonly FieldColumn[] = FIELDS.map(columnOf);

function columnOf(field: Field & { readonly name: keyof SentFields }): FieldColumn {
  const { name, kind } = field;
  if (kind === 'flag') return { name, type: 'boolean', value: ({ sent }) => sent[name] };
  if (kind === 'id' || field.ofBuild === undefined) return { name, type: 'text', value: ({ sent }) => sent[name] };
  const stored = sql`coalesce(${sql.ref(`item.${name}`)}, ${sql.ref(`build.${field.ofBuild}`)}, '')`;
  return { name, type: 'text', value: ({ sent }) => sent[name] || null, stored };
}

/** The columns of `SentFields`. */
export const sentColumns = sql.join(FIELDS.map(({ name }) => sql.ref(name)));

/** The fields as developers see them. */
export function shownFieldsOf(row: SentFields): SentFields {
  const texts = TEXT_FIELDS.map(({ name, hasPaths }) => [name, hasPaths ? redactUserPaths(row[name]) : row[name]]);
  const others = [...FLAG_NAMES, ...ID_NAMES].map((name) => [name, row[name]]);
  return Object.fromEntries([...texts, ...others]) as SentFields;
}

/**
 * The canonical name of an OS, such as `windows` for `Windows`, `win32` and `WINDOWS`. Other names become lowercase.
 */
export function canonicalSystem(os: string): string {
  const [name = ''] = os.trim().toLowerCase().split(/[\s/]/);
  return canonicalOs(ownValue(OS_ALIASES, name) ?? name);
}

/** Names that crash reporters use, in addition to the aliases that registration accepts. */
const OS_ALIASES: Readonly<Record<string, string>> = {
  iphone: 'ios',
  ipados: 'ios',
  winnt: 'windows',
  html5: 'web',
  emscripten: 'web',
};

export function canonicalProcessor(arch: string): string {
  return canonicalArch(arch.trim().toLowerCase());
}
