// What an engine’s crash reporter says in the JSON of its `metadata` part.
import { ApiError } from '@chauffeur/contract/errors';
import type { CrashFacts } from '../accept.ts';
import { factsOf } from './facts.ts';

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

/** What the metadata says: whose report it is, empty where it does not tell, and the facts. */
export type EngineMetadata = {
  appId: string;
  buildId: string;
  facts(omissions: readonly string[]): CrashFacts;
};

/** Reads the part’s text. Throws 4001 when it is not a JSON object. */
export function readEngineMetadata(text: string): EngineMetadata {
  const said = new Map(Object.entries(parse(text)));
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
  return {
    appId: textOf(said.get('app_id')),
    buildId: textOf(said.get('build_id')),
    facts: (omissions) =>
      factsOf({
        ...texts,
        ...(typeof anonymous === 'boolean' && { anonymous }),
        further: [...said].filter(([name]) => !taken.has(name)).concat(isObject(inner) ? Object.entries(inner) : []),
        omissions,
      }),
  };
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new ApiError(4001, 'metadata: not well-formed JSON; check quotes, commas and brackets.', { cause });
  }
  throw new ApiError(4001, 'metadata: not a JSON object; send the fields of the report in one.');
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
