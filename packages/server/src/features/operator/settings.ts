// The settings in force as operators see them: what is secret is never shown, and neither are credentials inside an address.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getSettings } from '@chauffeur/contract/operations/operator';
import { type Config, SETTINGS } from '../../config.ts';

type Shown = OutputOf<typeof getSettings>['settings'][number];
type Name = keyof typeof SETTINGS;

/** Texts that may be shown as they are. One that is not named here counts as secret: a new one is, until somebody says that it is not. */
const PLAIN: ReadonlySet<Name> = new Set<Name>(['host', 'dataFolder', 'publicUrl', 'clamd', 'mailFrom', 'logLevel']);
/** Addresses that may hold a name and a password. */
const ADDRESSES: ReadonlySet<Name> = new Set<Name>(['databaseUrl', 'smtp', 'blobs']);

export function showSettings(config: Config): Shown[] {
  return (Object.keys(SETTINGS) as Name[]).map((name) => {
    const { variable, fallback, doc } = SETTINGS[name];
    const value = config[name];
    const secret = typeof value === 'string' && !PLAIN.has(name) && !ADDRESSES.has(name);
    return {
      variable,
      value: value === undefined ? null : secret ? 'set' : show(name, value),
      default: fallback ?? null,
      changed: value !== defaultOf(name),
      secret,
      doc,
    };
  });
}

function defaultOf(name: Name): unknown {
  const { fallback, parse } = SETTINGS[name];
  return fallback === undefined ? undefined : parse(fallback);
}

function show(name: Name, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return ADDRESSES.has(name) ? withoutCredentials(String(value)) : String(value);
}

/**
 * `postgres://‹…›@db/chauffeur`. Passwords hide in the query as well (`?password=…`, libpq's), so that goes too; not every
 * address of PostgreSQL is one that URL reads, so this goes by its text.
 */
function withoutCredentials(address: string): string {
  const [body = '', query] = address.split(/\?(.*)/s);
  return body.replace(/\/\/[^/]*@/, '//‹…›@') + (query === undefined || query === '' ? '' : '?‹…›');
}
