// Has better-auth answer a request, once its route is known to be open and its body is something that better-auth can read.
import { ApiError } from '@chauffeur/contract/errors';
import { findTextProblem } from '@chauffeur/contract/validate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { type Auth, CLIENT_ADDRESS_HEADER } from '../features/accounts/accounts.ts';
import { isUniqueViolation } from '../kernel/db.ts';
import { accountFailure, errorOf, oauthFailure } from './auth-answer.ts';
import { sendError } from './errors.ts';

/** A body as it is passed on: rewritten, so that both sides read the same thing in it. */
export type HandedBody = { readonly type: string; readonly text: string };

export type Handed = {
  /** The URL that is dispatched: whoever decides whether a route is open decides on this object. */
  readonly target: URL;
  readonly body?: HandedBody | undefined;
};

/** The URL of a request at the service's own address, with dot segments resolved; 4040 for what is none. */
export function targetOf(ctx: Context, request: FastifyRequest): URL {
  // An absolute target (RFC 9112, section 3.2.2) may name another host, which means nothing here.
  const { pathname, search } = URL.parse(request.url, ctx.publicUrl) ?? noRoute();
  const target = new URL(ctx.publicUrl);
  target.pathname = pathname;
  target.search = search;
  const address = { path: decodeSafely(target.pathname), query: [...target.searchParams].flat() };
  const problem = findTextProblem(address);
  if (problem !== null) throw new ApiError(4002, problem);
  return target;
}

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function noRoute(): never {
  throw new ApiError(4040, 'There is no such route; see /api/v1/openapi.json.');
}

/** A JSON body. Every route that takes one takes an object. */
export function jsonBody(value: unknown): HandedBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError(4002, 'body: not a JSON object; send one.');
  const problem = findTextProblem(value);
  if (problem !== null) throw new ApiError(4002, problem);
  return { type: 'application/json', text: JSON.stringify(value) };
}

export function formBody(text: string): HandedBody {
  const fields = new URLSearchParams(text);
  for (const [name, value] of fields) {
    const problem = findTextProblem({ [name]: value });
    if (problem !== null) throw new ApiError(4002, problem);
  }
  return { type: 'application/x-www-form-urlencoded', text: fields.toString() };
}

/** Left out: what concerns the connection or the body as it was sent, and proofs of possession (RFC 9449), which are not supported. */
const HELD_BACK = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
  'content-encoding',
  'dpop',
]);

/** better-auth's answer, whatever it is. */
export async function askAuth(auth: Auth, request: FastifyRequest, { target, body }: Handed): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !HELD_BACK.has(name)) headers.set(name, value);
  }
  headers.set(CLIENT_ADDRESS_HEADER, request.ip);
  if (body !== undefined) headers.set('content-type', body.type);
  const init = { method: request.method, headers, ...(body !== undefined && { body: body.text }) };
  return auth.handler(new Request(target, init)).catch((error) => {
    // Two requests for one email address, at the same moment.
    if (isUniqueViolation(error)) throw new ApiError(4002, 'Another account has this email address.', { cause: error });
    throw error;
  });
}

/** Passes an answer on, with `relocate` applied to the address that it redirects to. */
export async function passOn(
  reply: FastifyReply,
  response: Response,
  relocate: (location: string) => string = (location) => location,
): Promise<FastifyReply> {
  reply.code(response.status);
  copyHeaders(reply, response, relocate);
  if (response.status >= 400) throw await refusalOf(response);
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

/** The error that an answer of better-auth is. */
export async function refusalOf(response: Response): Promise<ApiError> {
  const refusal = (await response.json().catch(() => null)) as Parameters<typeof errorOf>[1];
  // The one failure that is foreseen: a document of a client cannot be read at the moment.
  const isPassing = response.status === 503 && refusal?.error !== undefined;
  if (response.status >= 500 && !isPassing) return new ApiError(5000, undefined, { cause: refusal });
  const retryAfter = response.headers.get('x-retry-after');
  return errorOf(response.status, refusal, retryAfter === null ? undefined : Number(retryAfter));
}

function copyHeaders(reply: FastifyReply, response: Response, relocate: (location: string) => string): void {
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') reply.header(name, name === 'location' ? relocate(value) : value);
  }
  // Each cookie needs a header of its own (RFC 6265, section 3).
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
}

/** Answers an error of these routes: `oauth` in the form of RFC 6749. */
export function sendAuthError(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  form: 'account' | 'oauth',
): FastifyReply {
  return sendError(ctx, request, reply, thrown, 4002, form === 'oauth' ? oauthFailure : accountFailure);
}
