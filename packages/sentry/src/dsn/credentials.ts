// Finds out which project a request is for, and with which key. Clients send them in five places. The first place with a
// key counts, in this order: the header X-Sentry-Auth, the header Authorization, the query, the path, and the DSN in the
// header of an envelope. Places that name different projects contradict each other; places that name different keys of
// one project don't, because a relay may add its own.
import { SentryError } from '../error.ts';
import { isKey, isProject, parseDsn } from './dsn.ts';

export type Credentials = {
  readonly key: string;
  readonly project: string;
  /** The client and its version, such as `sentry.native/0.16.3`; empty if it doesn't say. */
  readonly client: string;
};

export type RequestHead = {
  /** The names are in lower case, as Node has them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: URLSearchParams;
  /** The project in the path; missing for a tunnel. */
  readonly project?: string | undefined;
  /** The key in the path of `/api/{project}/unreal/{key}/`. */
  readonly pathKey?: string | undefined;
  /** `dsn` of the header of an envelope, which is only known once its first line was read. */
  readonly dsn?: unknown;
};

type Found = { readonly key: string; readonly project?: string; readonly client?: string };

/**
 * The credentials of a request. Throws SentryError with the code `bad-credentials` if there is no key or no project, or
 * if two places name different projects.
 */
export function readCredentials({ headers, query, project, pathKey, dsn }: RequestHead): Credentials {
  const places = [
    ofAuthHeader(headers['x-sentry-auth']),
    ofAuthHeader(headers.authorization),
    ofQuery(query),
    pathKey !== undefined && isKey(pathKey) ? { key: pathKey } : null,
    parseDsn(dsn),
  ].filter((found): found is Found => found !== null);
  const first = places[0];
  if (first === undefined)
    throw new SentryError('bad-credentials', 'The request has no key. Send the DSN of the game with it.');
  const projects = new Set(places.flatMap((place) => place.project ?? []));
  if (project !== undefined) projects.add(project);
  if (projects.size > 1)
    throw new SentryError('bad-credentials', 'The DSN and the address name different projects. Use one DSN.');
  const [only] = projects;
  if (only === undefined || !isProject(only))
    throw new SentryError('bad-credentials', 'The request names no project. Send the DSN of the game with it.');
  const client = places.find((place) => place.client !== undefined)?.client ?? headerText(headers['user-agent']);
  return { key: first.key, project: only, client: client.slice(0, MAX_CLIENT) };
}

const MAX_CLIENT = 100;
const MAX_HEADER = 4096;

/**
 * `Sentry sentry_key=…, sentry_version=7, sentry_client=name/version`, with any order and any of the separators `,`, `;`
 * and spaces. Also `DSN https://…`.
 */
function ofAuthHeader(header: string | readonly string[] | undefined): Found | null {
  const text = headerText(header).slice(0, MAX_HEADER).trim();
  const [, scheme = '', rest = ''] = /^(\w+)\s+(.+)$/s.exec(text) ?? ['', '', text];
  if (/^dsn$/i.test(scheme)) return parseDsn(rest);
  // The word `Sentry` may be missing. A token of another scheme is none.
  if (scheme !== '' && !/^sentry$/i.test(scheme)) return null;
  const pairs = rest.split(/[,;\s]+/).map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).toLowerCase(), pair.slice(at + 1).replace(/^"(.*)"$/, '$1')] as const;
  });
  return ofPairs(new Map(pairs));
}

function ofQuery(query: URLSearchParams): Found | null {
  return ofPairs(new Map([...query].map(([name, value]) => [name.toLowerCase(), value])));
}

function ofPairs(pairs: ReadonlyMap<string, string>): Found | null {
  const key = pairs.get('sentry_key');
  if (key === undefined || !isKey(key)) return null;
  const client = pairs.get('sentry_client');
  return { key, ...(client !== undefined && client !== '' && { client }) };
}

/** Node joins repeated headers with `, `, except some that it returns as a list. */
function headerText(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.[0] ?? '');
}
