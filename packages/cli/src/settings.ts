// Reads and checks the settings from the global flags and the environment variables.
import { text } from 'node:stream/consumers';
import { LocalError } from './failures.ts';

/** The flags of every command, as parsed by commander. */
export type GlobalOptions = {
  url?: string;
  upload?: string;
  access?: string;
  secretStdin?: boolean;
  json?: boolean;
  quiet?: boolean;
};

export type Settings = {
  /** Base of the API and of the upload host, each ending in `/api/v1`. */
  url: string;
  uploadUrl: string;
  accessToken: string;
  secretKey: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = 'http://127.0.0.1:4000/api/v1';

/** Reads the settings for calls to the service, with --secret-stdin the secret key from `stdin`. Rejects with LocalError. */
export async function readSettings(
  options: GlobalOptions,
  env: Environment,
  stdin: AsyncIterable<Uint8Array>,
): Promise<Settings> {
  const urls = readUrls(options, env);
  const accessToken = checkedCredential(
    options.access ?? env.SERVICE_ACCESS_TOKEN,
    'access token',
    'Set SERVICE_ACCESS_TOKEN or use --access.',
  );
  const secretKey = checkedCredential(
    options.secretStdin ? await text(stdin) : env.SERVICE_SECRET_KEY,
    'secret key',
    'Set SERVICE_SECRET_KEY, or pipe the secret key to stdin and use --secret-stdin.',
  );
  return { ...urls, accessToken, secretKey };
}

/** The part of the settings that is no secret. Throws LocalError. */
export function readUrls(options: GlobalOptions, env: Environment): Pick<Settings, 'url' | 'uploadUrl'> {
  const url = checkedUrl(options.url ?? (env.SERVICE_API_URL || DEFAULT_URL), '--url (SERVICE_API_URL)');
  const uploadUrl = checkedUrl(options.upload ?? (env.SERVICE_UPLOAD_URL || url), '--upload (SERVICE_UPLOAD_URL)');
  return { url, uploadUrl };
}

/** Whether the deploy key would be sent over a network unencrypted. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function checkedUrl(value: string, name: string): string {
  const parsed = URL.parse(value);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new LocalError(`${name}: is not an http or https URL.`, `Use a base URL such as ${DEFAULT_URL}.`);
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new LocalError(
      `${name}: contains a user name, a query or a fragment.`,
      `Use only the base URL, such as ${DEFAULT_URL}.`,
    );
  }
  const base = parsed.href.replace(/\/+$/, '');
  if (!base.endsWith('/api/v1')) {
    throw new LocalError(`${name}: does not end in /api/v1.`, `Did you mean ${base}/api/v1?`);
  }
  return base;
}

/** Credentials are sent in headers, which allow only visible ASCII (RFC 9110, section 5.5). They are never printed. */
function checkedCredential(value: string | undefined, name: string, remedy: string): string {
  const trimmed = value?.trim() ?? '';
  if (trimmed === '') throw new LocalError(`The ${name} of the deploy key is missing.`, remedy);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new LocalError(
      `The ${name} contains a space or another character that is not part of a deploy key.`,
      `Copy it again. ${remedy}`,
    );
  }
  return trimmed;
}
