// Passes requests of OAuth clients to better-auth, adds what older clients leave out, and blocks what is not supported.

import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { cleanLine } from '@chauffeur/contract/text';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { type Auth, userOfHeaders } from '../people/accounts/accounts.ts';
import {
  agentResource,
  allowAgentOrigin,
  mountAgentPreflight,
  oauthIssuer,
  offersOAuth,
} from '../request/agent-addresses.ts';
import { addBytesParser, bodyDeadlineMs } from '../request/collect-body.ts';
import { decodeUtf8, parseJson } from '../request/json.ts';
import { noteCodeFailure, noteCodeUse, saveCode } from '../team/agents/agents.ts';
import { currentConnection } from '../team/agents/connections.sql.ts';
import { bindRequest, holderOf, isBoundHere, withoutBinding } from './consent-binding.ts';
import {
  type ForwardedBody,
  formBody,
  forwardToAuth,
  jsonBody,
  noRoute,
  sendAuthError,
  sendResponse,
  targetOf,
} from './forward-to-auth.ts';
import { refuseApiToken } from './identify.ts';

/** The limits for forms and JSON; the largest registration is far smaller. */
const BODY_BYTES = 64 * 1024;
const MAX_VALUES = 1000;

type Turn = {
  readonly ctx: Context;
  readonly auth: Auth;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The request's own URL, and the URL to dispatch. */
  readonly target: URL;
  readonly body: ForwardedBody | undefined;
};

type Endpoint = {
  readonly method: 'GET' | 'POST';
  /** The form of its errors: that of RFC 6749, or this service's if only its own page calls the route. */
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
    // Forms may repeat a parameter, which better-auth handles.
    addBytesParser(scope, '*', bodyDeadlineMs(ctx.config), (body) => body);
    for (const [name, { method, form, answer }] of Object.entries(ENDPOINTS)) {
      const url = `${new URL(oauthIssuer(ctx.publicUrl)).pathname}/oauth2/${name}`;
      if (form === 'oauth') mountAgentPreflight(scope, ctx, url, [method]);
      scope.route({
        method,
        url,
        bodyLimit: BODY_BYTES,
        config: { operation: `oauth.${name}`, secret: true },
        onRequest: async (request, reply) => {
          if (form === 'oauth') allowAgentOrigin(ctx, request, reply);
        },
        errorHandler: (error, request, reply) => {
          sendAuthError(ctx, request, reply, error, form);
        },
        handler: async (request, reply) => {
          refuseApiToken(request);
          const target = targetOf(ctx, request);
          // The router decodes paths, but better-auth does not.
          if (target.pathname !== url) noRoute();
          return answer({ ctx, auth, request, reply, target, body: bodyOf(request) });
        },
      });
    }
  });
}

function bodyOf(request: FastifyRequest): ForwardedBody | undefined {
  const body = request.body as Buffer | undefined;
  if (body === undefined || body.length === 0) return undefined;
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() === 'application/x-www-form-urlencoded') return formBody(decodeUtf8(body));
  if (type.trim() !== 'application/json')
    throw errors.invalid('Content-Type: send application/x-www-form-urlencoded, or application/json to register.');
  return jsonBody(parseJson(body, MAX_VALUES));
}

async function passThrough({ auth, request, reply, target, body }: Turn): Promise<FastifyReply> {
  return sendResponse(reply, await forwardToAuth(auth, request, { target, body }));
}

const CONSENT_PAGE = '/consent';

/**
 * Adds the resource, which clients older than resource indicators do not send; there is only one. Requests refresh
 * tokens for all clients that can use them. Always shows the consent page, because any program on a machine can use the
 * name and address of another.
 */
async function authorize({ ctx, auth, request, reply, target }: Turn): Promise<FastifyReply> {
  const params = target.searchParams;
  if (!params.has('resource')) params.set('resource', agentResource(ctx.publicUrl));
  dropToolChoice(ctx, params);
  const scopes = wordsOf(params, 'scope');
  if (scopes.length > 0) params.set('scope', [...new Set([...scopes, 'offline_access'])].join(' '));
  const prompts = wordsOf(params, 'prompt');
  if (!prompts.includes('none')) params.set('prompt', [...new Set([...prompts, 'consent'])].join(' '));
  // It would bind the tokens to a key whose proofs (RFC 9449) are not checked here.
  params.delete('dpop_jkt');
  const holder = await holderOf(ctx, auth, request, reply);
  // The consent page receives the original query as a single parameter, which the site's router leaves unchanged.
  return sendResponse(reply, await forwardToAuth(auth, request, { target }), (location) => {
    const [page, query = ''] = location.split('?', 2);
    if (page !== CONSENT_PAGE) return location;
    return `${page}?${new URLSearchParams({ request: bindRequest(ctx, query, holder) })}`;
  });
}

/** Some clients send the address that they were given, which may choose tools; it is still the same resource. */
function dropToolChoice({ publicUrl }: Context, params: URLSearchParams): void {
  const resource = agentResource(publicUrl);
  const sent = params.getAll('resource').map((value) => (value.startsWith(`${resource}?`) ? resource : value));
  params.delete('resource');
  for (const value of sent) params.append('resource', value);
}

function wordsOf(params: URLSearchParams, name: string): string[] {
  return params.get(name)?.split(' ').filter(Boolean) ?? [];
}

async function consent(turn: Turn): Promise<FastifyReply> {
  const { ctx, auth, request, reply, target, body } = turn;
  const { oauth_query: query, ...decision } = fieldsOf(body);
  if (typeof query !== 'string') throw errors.invalid('oauth_query: missing. Send what the page was opened with.');
  if (!(await isBoundHere(ctx, auth, request, query))) {
    throw errors.invalid('This request was started in another session. Start again in the program.', {
      data: { reason: 'other_session' },
    });
  }
  const text = JSON.stringify({ ...decision, oauth_query: withoutBinding(query) });
  const response = await forwardToAuth(auth, request, { target, body: { type: 'application/json', text } });
  if (response.ok) await keepCode(turn, query, (await response.clone().json()) as { url?: string });
  return sendResponse(reply, response);
}

/** Remembers the connection of a code, in case the code is used twice. */
async function keepCode({ ctx, auth, request }: Turn, query: string, { url }: { url?: string }): Promise<void> {
  const code = URL.parse(url ?? '')?.searchParams.get('code');
  const clientId = new URLSearchParams(query).get('client_id');
  const user = await userOfHeaders(auth, new Headers({ cookie: request.headers.cookie ?? '' }));
  if (code == null || clientId === null || user === null) return;
  const connectionId = await currentConnection(ctx.db, { userId: user.id, clientId });
  if (connectionId !== undefined) await saveCode(ctx, connectionId, code);
}

/** A code that is used a second time was stolen or shared, so its connection ends (RFC 6749, section 4.1.2). */
async function exchange({ ctx, auth, request, reply, target, body }: Turn): Promise<FastifyReply> {
  const fields = new URLSearchParams(body?.text);
  dropToolChoice(ctx, fields);
  const isForm = body?.type === 'application/x-www-form-urlencoded';
  const response = await forwardToAuth(auth, request, {
    target,
    body: isForm ? { ...body, text: fields.toString() } : body,
  });
  const code = fields.get('code');
  if (code !== null && response.ok && !(await noteCodeUse(ctx, code)))
    throw errors.invalid('invalid code', { data: { reason: 'invalid_grant' } });
  // Other errors occur before the code is checked.
  if (code !== null && response.status === 400 && (await wordOf(response)) === 'invalid_grant')
    await noteCodeFailure(ctx, code);
  return sendResponse(reply, response);
}

async function wordOf(response: Response): Promise<unknown> {
  return ((await response.clone().json()) as { error?: unknown } | null)?.error;
}

/**
 * The metadata of a client that is stored. Anyone can register clients, so nothing is stored that this server doesn't
 * use, and nothing that would make it send requests to others.
 */
const REGISTERED = [
  ...['redirect_uris', 'client_name', 'scope'],
  ...['grant_types', 'response_types', 'token_endpoint_auth_method'],
];

/** The limits are those of the document of a client. */
const Registration = Type.Object({
  client_name: Type.Optional(Type.String({ maxLength: LIMITS.agentClientNameLength })),
  client_uri: Type.Optional(Type.String({ maxLength: LIMITS.agentClientIdLength })),
  redirect_uris: Type.Optional(
    Type.Array(Type.String({ maxLength: LIMITS.agentClientIdLength }), { maxItems: LIMITS.agentRedirects }),
  ),
});

/**
 * Registers every client as a native one. Most are programs on people's machines, but do not say so, or claim to be
 * websites; as such, their redirects to localhost would be rejected. A native client may do everything that a website
 * may.
 */
async function register({ auth, request, reply, target, body }: Turn): Promise<FastifyReply> {
  if (body?.type !== 'application/json') throw errors.invalid('body: send the description of the client as JSON.');
  const { client_uri: uri, ...sent } = fieldsOf(body);
  const problem = findProblem(Registration, { ...sent, ...(uri !== undefined && { client_uri: uri }) });
  if (problem !== null) throw errors.invalid(problem, { data: { reason: 'invalid_client_metadata' } });
  const text = JSON.stringify({
    grant_types: ['authorization_code', 'refresh_token'],
    ...Object.fromEntries(REGISTERED.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]])),
    ...(typeof sent.client_name === 'string' && { client_name: cleanLine(sent.client_name) }),
    // People are shown it.
    ...(typeof uri === 'string' && /^https?:$/.test(URL.parse(uri)?.protocol ?? '') && { client_uri: uri }),
    application_type: 'native',
  });
  return sendResponse(reply, await forwardToAuth(auth, request, { target, body: { ...body, text } }));
}

function fieldsOf(body: ForwardedBody | undefined): Record<string, unknown> {
  return body?.type === 'application/json' ? JSON.parse(body.text) : {};
}

/**
 * The supported members of better-auth's documents. Others, such as DPoP, are for clients that are not supported here.
 */
const ANNOUNCED = new Set([
  // RFC 8414
  ...[
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'registration_endpoint',
    'revocation_endpoint',
    'introspection_endpoint',
  ],
  ...['scopes_supported', 'response_types_supported', 'response_modes_supported', 'grant_types_supported'],
  ...['code_challenge_methods_supported', 'authorization_response_iss_parameter_supported'],
  ...['client_id_metadata_document_supported'],
  // RFC 9728
  ...['resource', 'authorization_servers', 'bearer_methods_supported'],
]);

/** The authentication methods of clients, by the grants that they may request. */
const AUTH_METHODS = {
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
};

/**
 * The addresses of the two documents: of the resource (RFC 9728, section 3.1), and of the authorization server, below
 * the path of its issuer (RFC 8414, section 3.1) and, for older clients, without it.
 */
function mountOAuthMetadata(app: FastifyInstance, ctx: Context, auth: Auth): void {
  const server = `/.well-known/oauth-authorization-server${new URL(oauthIssuer(ctx.publicUrl)).pathname}`;
  const resource = `/.well-known/oauth-protected-resource${new URL(agentResource(ctx.publicUrl)).pathname}`;
  const documents = {
    '/.well-known/oauth-authorization-server': server,
    [server]: server,
    '/.well-known/oauth-protected-resource': resource,
    [resource]: resource,
  };
  for (const [url, document] of Object.entries(documents)) {
    // Clients ask for the documents with the version of the protocol in a header.
    mountAgentPreflight(app, ctx, url, ['GET']);
    app.get(url, { config: { operation: 'oauth.metadata' } }, async (request, reply) => {
      reply.header('access-control-allow-origin', '*');
      const target = targetOf(ctx, request);
      target.pathname = document;
      const response = await forwardToAuth(auth, request, { target });
      if (!response.ok) return sendResponse(reply, response);
      const announced = announcedOf((await response.json()) as Record<string, unknown>);
      return sendResponse(reply, Response.json(announced, { headers: response.headers }));
    });
  }
}

function announcedOf(document: Record<string, unknown>): object {
  return {
    ...Object.fromEntries(Object.entries(document).filter(([name]) => ANNOUNCED.has(name))),
    ...('token_endpoint' in document && AUTH_METHODS),
  };
}
