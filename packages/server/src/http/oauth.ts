// Hands the requests of OAuth clients to better-auth: what they leave out is filled in, and what is not offered here is kept away.
import { ApiError } from '@chauffeur/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { userOfHeaders } from '../features/accounts/accounts.ts';
import { agentResource, oauthIssuer, offersOAuth } from '../features/accounts/oauth.ts';
import { currentConnection, noteCodeFailure, noteCodeUse, recordCode } from '../features/agents/agents.ts';
import { addBytesParser, bodyDeadlineMs } from '../kernel/bytes-parser.ts';
import { bindRequest, holderOf, isBoundHere, withoutBinding } from './consent-binding.ts';
import { askAuth, formBody, type HandedBody, jsonBody, noRoute, passOn, sendAuthError, targetOf } from './hand-over.ts';
import { mountOAuthMetadata } from './oauth-metadata.ts';

/** Of a form or of JSON; the largest that is registered is far below. */
const BODY_BYTES = 64 * 1024;

type Turn = {
  readonly ctx: Context;
  readonly auth: Auth;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The request's own URL, and the one that is dispatched. */
  readonly target: URL;
  readonly body: HandedBody | undefined;
};

type Endpoint = {
  readonly method: 'GET' | 'POST';
  /** The form of its errors: that of RFC 6749, or this service's where only its own page calls it. */
  readonly form: 'account' | 'oauth';
  readonly answer: (turn: Turn) => Promise<FastifyReply>;
};

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  authorize: { method: 'GET', form: 'account', answer: authorize },
  consent: { method: 'POST', form: 'account', answer: consent },
  introspect: { method: 'POST', form: 'oauth', answer: passThrough },
  register: { method: 'POST', form: 'oauth', answer: register },
  revoke: { method: 'POST', form: 'oauth', answer: passThrough },
  token: { method: 'POST', form: 'oauth', answer: exchange },
};

export function mountOAuth(app: FastifyInstance, ctx: Context, auth: Auth): void {
  if (!offersOAuth(ctx.publicUrl)) return;
  mountOAuthMetadata(app, ctx, auth);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Forms may name a parameter twice, which is better-auth’s to judge.
    addBytesParser(scope, '*', bodyDeadlineMs(ctx.config), (body) => body.toString());
    for (const [name, { method, form, answer }] of Object.entries(ENDPOINTS)) {
      const url = `${new URL(oauthIssuer(ctx.publicUrl)).pathname}/oauth2/${name}`;
      scope.route({
        method,
        url,
        bodyLimit: BODY_BYTES,
        config: { operation: `oauth.${name}`, secret: true },
        errorHandler: (error, request, reply) => {
          sendAuthError(ctx, request, reply, error, form);
        },
        handler: async (request, reply) => {
          const target = targetOf(ctx, request);
          // The router decodes paths that better-auth takes as they are.
          if (target.pathname !== url) noRoute();
          return answer({ ctx, auth, request, reply, target, body: bodyOf(request) });
        },
      });
    }
  });
}

function bodyOf(request: FastifyRequest): HandedBody | undefined {
  if (typeof request.body !== 'string' || request.body === '') return undefined;
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() === 'application/x-www-form-urlencoded') return formBody(request.body);
  if (type.trim() !== 'application/json')
    throw new ApiError(4002, 'Content-Type: send application/x-www-form-urlencoded, or application/json to register.');
  return jsonBody(parse(request.body));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(4002, 'body: not well-formed JSON; check quotes, commas and brackets.', { cause });
  }
}

async function passThrough({ auth, request, reply, target, body }: Turn): Promise<FastifyReply> {
  return passOn(reply, await askAuth(auth, request, { target, body }));
}

const CONSENT_PAGE = '/consent';

/**
 * Clients made before resource indicators leave out which resource they want, of which there is one. Refresh tokens are given to all that
 * can use them. And who asks is shown each time: any program on a machine can come with the name and the address of another.
 */
async function authorize({ ctx, auth, request, reply, target }: Turn): Promise<FastifyReply> {
  const params = target.searchParams;
  if (!params.has('resource')) params.set('resource', agentResource(ctx.publicUrl));
  const scopes = wordsOf(params, 'scope');
  if (scopes.length > 0) params.set('scope', [...new Set([...scopes, 'offline_access'])].join(' '));
  const prompts = wordsOf(params, 'prompt');
  if (!prompts.includes('none')) params.set('prompt', [...new Set([...prompts, 'consent'])].join(' '));
  // Would bind the tokens to a key whose proofs (RFC 9449) are not looked at here.
  params.delete('dpop_jkt');
  const holder = await holderOf(ctx, auth, request, reply);
  // The page gets what it was sent as one text, which the site’s router does not take apart and write anew.
  return passOn(reply, await askAuth(auth, request, { target }), (location) => {
    const [page, query = ''] = location.split('?', 2);
    if (page !== CONSENT_PAGE) return location;
    return `${page}?${new URLSearchParams({ request: bindRequest(ctx, query, holder) })}`;
  });
}

function wordsOf(params: URLSearchParams, name: string): string[] {
  return params.get(name)?.split(' ').filter(Boolean) ?? [];
}

async function consent(turn: Turn): Promise<FastifyReply> {
  const { ctx, auth, request, reply, target, body } = turn;
  const { oauth_query: query, ...decision } = fieldsOf(body);
  if (typeof query !== 'string') throw new ApiError(4002, 'oauth_query: missing; send what the page was opened with.');
  if (!(await isBoundHere(ctx, auth, request, query))) {
    throw new ApiError(4002, 'This request was started in another session. Start again in the program.', {
      data: { reason: 'other_session' },
    });
  }
  const text = JSON.stringify({ ...decision, oauth_query: withoutBinding(query) });
  const response = await askAuth(auth, request, { target, body: { type: 'application/json', text } });
  if (response.ok) await keepCode(turn, query, (await response.clone().json()) as { url?: string });
  return passOn(reply, response);
}

/** So that it is known, when the code comes twice, whose connection it was for. */
async function keepCode({ ctx, auth, request }: Turn, query: string, { url }: { url?: string }): Promise<void> {
  const code = URL.parse(url ?? '')?.searchParams.get('code');
  const clientId = new URLSearchParams(query).get('client_id');
  const user = await userOfHeaders(auth, new Headers({ cookie: request.headers.cookie ?? '' }));
  if (code == null || clientId === null || user === null) return;
  const connectionId = await currentConnection(ctx.db, { userId: user.id, clientId });
  if (connectionId !== undefined) await recordCode(ctx, connectionId, code);
}

/** A code that comes a second time was stolen, or is in use twice: what it gave ends (RFC 6749, section 4.1.2). */
async function exchange({ ctx, auth, request, reply, target, body }: Turn): Promise<FastifyReply> {
  const response = await askAuth(auth, request, { target, body });
  const code = new URLSearchParams(body?.text).get('code');
  if (code !== null && response.ok && !(await noteCodeUse(ctx, code)))
    throw new ApiError(4002, 'invalid code', { data: { reason: 'invalid_grant' } });
  // Other refusals come before the code is looked at.
  if (code !== null && response.status === 400 && (await wordOf(response)) === 'invalid_grant')
    await noteCodeFailure(ctx, code);
  return passOn(reply, response);
}

async function wordOf(response: Response): Promise<unknown> {
  return ((await response.clone().json()) as { error?: unknown } | null)?.error;
}

/** What a program may say of itself; the rest is about kinds of clients that are not offered here, or would have this server call others. */
const REGISTERED = [
  ...['redirect_uris', 'client_name', 'client_uri', 'logo_uri', 'contacts', 'tos_uri', 'policy_uri', 'scope'],
  ...['grant_types', 'response_types', 'token_endpoint_auth_method', 'software_id', 'software_version'],
];

/**
 * Programs on people’s machines, which most are, do not say so, or say that they are websites; taken for such, their addresses on localhost
 * would be refused. What a website may have, they may have as well.
 */
async function register({ auth, request, reply, target, body }: Turn): Promise<FastifyReply> {
  if (body?.type !== 'application/json') throw new ApiError(4002, 'body: send the description of the client as JSON.');
  const sent = fieldsOf(body);
  const text = JSON.stringify({
    grant_types: ['authorization_code', 'refresh_token'],
    ...Object.fromEntries(REGISTERED.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]])),
    application_type: 'native',
  });
  return passOn(reply, await askAuth(auth, request, { target, body: { ...body, text } }));
}

function fieldsOf(body: HandedBody | undefined): Record<string, unknown> {
  return body?.type === 'application/json' ? JSON.parse(body.text) : {};
}
