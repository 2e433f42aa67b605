// A DSN: the address, key and project in one line that a game is configured with.

export type Dsn = {
  readonly key: string;
  /** Decimal digits, which some clients insist on. */
  readonly project: string;
  /** With the scheme, the port and any folder: `https://games.example.com/base`. */
  readonly origin: string;
};

/** A longer DSN isn't read. */
const MAX_LENGTH = 2048;
const KEY = /^[\w-]{1,128}$/;
const PROJECT = /^\d{1,18}$/;

/** Whether a key has the form of one. The server makes keys of 32 hex digits. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Whether a project has the form of one. */
export function isProject(text: string): boolean {
  return PROJECT.test(text);
}

/** Null unless the text is a DSN with a key and a project. A secret after the key, as old ones have, is ignored. */
export function parseDsn(text: unknown): Dsn | null {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return null;
  const [, scheme, key, host, path] =
    /^\s*(https?):\/\/([^:@/\s]+)(?::[^@/\s]*)?@([^/?#@\s]+)(\/[^?#\s]*?)\/?\s*$/i.exec(text) ?? [];
  if (scheme === undefined || key === undefined || host === undefined || path === undefined) return null;
  const end = path.lastIndexOf('/');
  const project = path.slice(end + 1);
  if (!isKey(key) || !isProject(project)) return null;
  return { key, project, origin: `${scheme.toLowerCase()}://${host.toLowerCase()}${path.slice(0, end)}` };
}

/** `origin` is the address of the service, with the folder that it is served below. */
export function formatDsn({ key, project, origin }: Dsn): string {
  const [scheme = '', rest = ''] = origin.replace(/\/+$/, '').split('://', 2);
  return `${scheme}://${key}@${rest}/${project}`;
}

/** The address of an endpoint, such as `envelope`, as clients make it from their DSN. */
export function endpointOf({ project, origin }: Dsn, endpoint: string): string {
  return `${origin}/api/${project}/${endpoint}/`;
}
