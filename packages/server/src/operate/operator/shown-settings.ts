// The active settings as operators see them, without secrets and without credentials in URLs.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getSettings } from '@chauffeur/contract/operations/operator';
import { type Config, SETTINGS } from '../../config.ts';
import { nameOfSource } from '../../symbol-sources.ts';

type Shown = OutputOf<typeof getSettings>['settings'][number];
type Name = keyof typeof SETTINGS;

/** The text settings that can be shown. All others count as secret, so a new setting is secret by default. */
const PLAIN: ReadonlySet<Name> = new Set<Name>([
  ...(['host', 'dataFolder', 'publicUrl', 'clamd', 'mailFrom', 'logLevel'] as const),
  ...(['oidcIssuer', 'oidcClientId', 'oidcName', 'oidcDomains', 'mcpOrigins'] as const),
  ...(['imprintEn', 'imprintDe', 'privacyEn', 'privacyDe', 'termsEn', 'termsDe'] as const),
]);
/** The settings with URLs that may contain a user and a password. */
const ADDRESSES: ReadonlySet<Name> = new Set<Name>([
  'databaseUrl',
  'databaseReplicaUrl',
  'smtp',
  'blobs',
  'otlpEndpoint',
  'downloadUrl',
]);

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

function show(name: Name, value: NonNullable<Config[Name]>): string {
  // Their credentials are apart from their addresses.
  if (typeof value === 'object') return value.map(nameOfSource).join(' ');
  if (typeof value === 'boolean') return value ? '1' : '0';
  return ADDRESSES.has(name) ? withoutCredentials(String(value)) : String(value);
}

/**
 * Returns, for example, `postgres://‹…›@db/chauffeur`. The query is removed too, because libpq accepts `?password=…`.
 * This works on the text, because some PostgreSQL addresses are not valid URLs.
 */
function withoutCredentials(address: string): string {
  const [body = '', query] = address.split(/\?(.*)/s);
  return body.replace(/\/\/[^/]*@/, '//‹…›@') + (query === undefined || query === '' ? '' : '?‹…›');
}
