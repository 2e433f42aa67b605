// Reads the JSON in the `metadata` part of an engine's crash form.
import { isObject } from '../../../../request/json.ts';
import { type CrashDetails, detailsOf, isReporterId, RAW_METADATA_KEY } from './details.ts';

/** The names for each field, in order of preference. Other names go to the metadata. */
const NAMES = {
  app_name: ['app_name'],
  app_version: ['app_version'],
  engine_version: ['engine_version'],
  os: ['os', 'os_name', 'platform'],
  arch: ['arch', 'cpu_arch', 'architecture'],
  message: ['message', 'crash_message', 'error_message', 'error'],
  user_message: ['user_message', 'comments', 'user_description'],
} as const;

const IDS = ['app_id', 'build_id'] as const;
const REPORTER_IDS = ['device_uid', 'session_id'] as const;

/** The content of the metadata. Ids are empty if missing. */
export type EngineMetadata = {
  appId: string;
  buildId: string;
  details(omissions: readonly string[]): CrashDetails;
  /** The text, if it is not a JSON object; null otherwise. */
  raw: string | null;
};

/**
 * Reads the text of the part. Some reporters write invalid JSON: then the readable fields are used, and the text is
 * kept.
 */
export function readEngineMetadata(text: string): EngineMetadata {
  const parsed = parse(text);
  const fields = parsed ?? readLooseFields(text);
  const used = new Set<string>(IDS);
  const texts = Object.fromEntries(
    Object.entries(NAMES).map(([field, names]) => {
      const name = names.find((candidate) => isTextOrNumber(fields.get(candidate)));
      if (name !== undefined) used.add(name);
      return [field, name === undefined ? undefined : String(fields.get(name))];
    }),
  );
  const anonymous = fields.get('anonymous');
  if (typeof anonymous === 'boolean') used.add('anonymous');
  const ids = Object.fromEntries(
    REPORTER_IDS.filter((name) => isReporterId(fields.get(name))).map((name) => [name, fields.get(name) as string]),
  );
  for (const name of Object.keys(ids)) used.add(name);
  // An engine that sends the API's shape has an object of metadata.
  const inner = fields.get('metadata');
  if (isObject(inner)) used.add('metadata');
  const further = [...fields].filter(([name]) => !used.has(name)).concat(isObject(inner) ? Object.entries(inner) : []);
  return {
    appId: textOf(fields.get('app_id')),
    buildId: textOf(fields.get('build_id')),
    raw: parsed === null ? text : null,
    details: (omissions) =>
      detailsOf({
        ...texts,
        ...ids,
        ...(typeof anonymous === 'boolean' && { anonymous }),
        // The raw text, which is kept as a whole, contains them.
        further: parsed === null ? [] : further,
        omissions: parsed === null ? [describeProblem(text), ...omissions] : omissions,
      }),
  };
}

type Fields = ReadonlyMap<string, unknown>;

/** Null if the text is not a JSON object. */
function parse(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/** `"name": "text"` or `"name": true`, without characters that break JSON. */
const LOOSE_FIELD = /"(\w{1,64})"\s{0,100}:\s{0,100}(?:"([^"\\\r\n]*)"|(true|false)\b)/g;

/** The readable fields of invalid JSON. If a name is repeated, the first value counts. */
function readLooseFields(text: string): Fields {
  const fields = new Map<string, unknown>();
  for (const [, name = '', value, flag] of text.matchAll(LOOSE_FIELD))
    if (!fields.has(name)) fields.set(name, value ?? flag === 'true');
  return fields;
}

function describeProblem(text: string): string {
  if (text.trim() === '') return 'The metadata was empty.';
  return `The metadata is not a valid JSON object, so only some of its fields could be read; its text is in ${RAW_METADATA_KEY}.`;
}

function isTextOrNumber(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
