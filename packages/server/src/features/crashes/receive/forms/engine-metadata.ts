// What an engine’s crash reporter says in the JSON of its `metadata` part.
import type { CrashFacts } from '../accept.ts';
import { factsOf, RAW_METADATA_KEY } from './facts.ts';

/** The names of each field, the most telling first; the rest goes to the metadata under its own name. */
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

/** What the metadata says: whose report it is, empty where it does not say, and the facts. */
export type EngineMetadata = {
  appId: string;
  buildId: string;
  facts(omissions: readonly string[]): CrashFacts;
  /** The text as it was sent, where it is not a JSON object; null otherwise. */
  raw: string | null;
};

/** Reads the part’s text. Some reporters write broken JSON: then the fields that can be made out count, and the text is kept. */
export function readEngineMetadata(text: string): EngineMetadata {
  const parsed = parse(text);
  const said = parsed ?? readLooseFields(text);
  const taken = new Set<string>(IDS);
  const texts = Object.fromEntries(
    Object.entries(NAMES).map(([field, names]) => {
      const name = names.find((candidate) => isSaid(said.get(candidate)));
      if (name !== undefined) taken.add(name);
      return [field, name === undefined ? undefined : String(said.get(name))];
    }),
  );
  const anonymous = said.get('anonymous');
  if (typeof anonymous === 'boolean') taken.add('anonymous');
  // Its own metadata is spread out, where the engine sends the API’s shape.
  const inner = said.get('metadata');
  if (isObject(inner)) taken.add('metadata');
  const further = [...said].filter(([name]) => !taken.has(name)).concat(isObject(inner) ? Object.entries(inner) : []);
  return {
    appId: textOf(said.get('app_id')),
    buildId: textOf(said.get('build_id')),
    raw: parsed === null ? text : null,
    facts: (omissions) =>
      factsOf({
        ...texts,
        ...(typeof anonymous === 'boolean' && { anonymous }),
        // The text is kept whole, so what was made out is not repeated.
        further: parsed === null ? [] : further,
        omissions: parsed === null ? [noteOf(text), ...omissions] : omissions,
      }),
  };
}

type SaidFields = ReadonlyMap<string, unknown>;

/** Null when the text is not a JSON object. */
function parse(text: string): SaidFields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/** `"name": "text"` or `"name": true`, the text without the characters that break JSON. */
const LOOSE_FIELD = /"(\w{1,64})"\s{0,100}:\s{0,100}(?:"([^"\\\r\n]*)"|(true|false)\b)/g;

/** The fields of broken JSON that are whole; of one that comes twice the first. */
function readLooseFields(text: string): SaidFields {
  const fields = new Map<string, unknown>();
  for (const [, name = '', value, flag] of text.matchAll(LOOSE_FIELD))
    if (!fields.has(name)) fields.set(name, value ?? flag === 'true');
  return fields;
}

function noteOf(text: string): string {
  if (text.trim() === '') return 'The metadata was empty';
  return `The metadata is not a valid JSON object, so few of its fields could be read; its text is in ${RAW_METADATA_KEY}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSaid(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
