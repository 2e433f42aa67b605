// Refuses requests whose head can be read in two ways, because a proxy in front may read it in the other one.
import { errors } from '@chauffeur/contract/errors';
import type { FastifyInstance } from 'fastify';
import { isHost } from '../request/origins.ts';

/**
 * Headers that decide who is calling, from where, or what the body is. If one occurs twice, Node takes the first or
 * joins both. Node itself refuses more than one length.
 */
const SINGLE = new Set([
  'authorization',
  'content-encoding',
  'content-range',
  'content-type',
  'host',
  'origin',
  'range',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'transfer-encoding',
  'x-access-token',
  'x-app-id',
  'x-build-id',
  'x-read-token',
  'x-secret-key',
]);

type Head = {
  /** The form is that of Node: names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly url?: string | undefined;
  readonly httpVersion: string;
};

/** Must be added before any hook that responds. */
export function refuseAmbiguousHeads(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    const problem = findHeadProblem(raw);
    if (problem === null) return;
    // Where the next request starts may be unclear as well.
    reply.header('connection', 'close');
    throw errors.invalid(problem);
  });
}

/** Says what is ambiguous or invalid in the head of a request; null if nothing is. */
export function findHeadProblem({ rawHeaders, url = '', httpVersion }: Head): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'This version of HTTP is not supported. Use HTTP/1.1.';
  const values = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (values.has(name)) return `${rawHeaders[at]}: sent twice. Send it once.`;
    values.set(name, rawHeaders[at + 1]!);
  }
  return findBodyProblem(values.get('transfer-encoding')) ?? findHostProblem(values.get('host'), url, httpVersion);
}

/**
 * Crashpad sends chunks in HTTP/1.0, which has none. Node closes the connection after the response, as RFC 9112, section
 * 6.1, requires of such a request.
 */
function findBodyProblem(encoding: string | undefined): string | null {
  if (encoding === undefined || encoding.toLowerCase() === 'chunked') return null;
  return 'Transfer-Encoding: only chunked is supported.';
}

/** Health checks of some proxies use HTTP/1.0 without Host, which was valid there. */
function findHostProblem(host: string | undefined, url: string, httpVersion: string): string | null {
  if (host === undefined) return httpVersion === '1.0' ? null : 'Host: missing. Send the name of the service.';
  if (!isHost(host)) return 'Host: not a host name. Send the name of the service.';
  // The host of an absolute target counts instead of Host (RFC 9112, section 3.2.2), so both have to be the same.
  const [, authority] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() === host.toLowerCase()) return null;
  return 'Host: not the host of the requested URL. Send the same one.';
}
