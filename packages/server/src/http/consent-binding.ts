// Binds a consent request to the browser that started it, so that no one can be lured into the request of someone else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { newSecret } from '../kernel/secrets/ids.ts';
import { deriveKey } from '../kernel/secrets/signed-token.ts';
import { type Auth, sessionIdOf } from '../people/accounts/accounts.ts';
import { cookieName } from '../request/origins.ts';

/** A parameter of the request, next to better-auth's signature. */
const PARAMETER = 'binding';
/** Identifies visitors who are not signed in yet. */
const COOKIE = 'consent';
const COOKIE_SECONDS = 3600;
const NONCE_LENGTH = 32;

/** Returns what a request is bound to: the session or, before sign-in, a cookie of the browser. */
export async function holderOf(
  ctx: Context,
  auth: Auth,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const sessionId = await sessionIdOf(auth, cookiesOf(request));
  if (sessionId !== null) return `session ${sessionId}`;
  const nonce = nonceOf(ctx, request) ?? newSecret(NONCE_LENGTH);
  const secure = ctx.publicUrl.startsWith('https:') ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${cookieName(ctx.publicUrl, COOKIE)}=${nonce}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`,
  );
  return `browser ${nonce}`;
}

function cookiesOf(request: FastifyRequest): Headers {
  return new Headers({ cookie: request.headers.cookie ?? '' });
}

function nonceOf({ publicUrl }: Context, request: FastifyRequest): string | undefined {
  const name = cookieName(publicUrl, COOKIE).replace('.', '\\.');
  return new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9]{${NONCE_LENGTH}})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
}

/**
 * Adds the binding to the request's parameters. Parameters without a signature, such as those of an error, are returned
 * unchanged.
 */
export function bindRequest(ctx: Context, query: string, holder: string): string {
  const signature = new URLSearchParams(query).get('sig');
  return signature === null ? query : `${query}&${PARAMETER}=${macOf(ctx, signature, holder)}`;
}

/** Returns the parameters as better-auth signed them. */
export function withoutBinding(query: string): string {
  return query.replace(new RegExp(`&${PARAMETER}=[A-Za-z0-9_-]*$`), '');
}

/** Whether the request was started in the session or browser that now decides on it. */
export async function isBoundHere(ctx: Context, auth: Auth, request: FastifyRequest, query: string): Promise<boolean> {
  const params = new URLSearchParams(query);
  const sent = Buffer.from(params.get(PARAMETER) ?? '');
  const sessionId = await sessionIdOf(auth, cookiesOf(request));
  const nonce = nonceOf(ctx, request);
  const holders = [
    ...(sessionId === null ? [] : [`session ${sessionId}`]),
    ...(nonce === undefined ? [] : [`browser ${nonce}`]),
  ];
  return holders.some((holder) => {
    const right = Buffer.from(macOf(ctx, params.get('sig') ?? '', holder));
    return right.length === sent.length && timingSafeEqual(right, sent);
  });
}

function macOf(ctx: Context, signature: string, holder: string): string {
  return createHmac('sha256', deriveKey(ctx.secret, 'consent binding'))
    .update(`${holder}\n${signature}`)
    .digest('base64url');
}
