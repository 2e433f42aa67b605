// Serves MCP over Streamable HTTP at /mcp. Requests are passed to the SDK after their origin and their credentials are
// checked.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { ApiError, CODES, errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountCaller, Context } from '../context.ts';
import { type Auth, accessTokenOf } from '../people/accounts/accounts.ts';
import {
  agentResource,
  allowAgentOrigin,
  mayConnect,
  mountAgentPreflight,
  offersOAuth,
} from '../request/agent-addresses.ts';
import { fromRequest } from '../request/audit.ts';
import { BodyTooLargeError, UnreadableBodyError } from '../request/body.ts';
import { addBytesParser, bodyDeadlineMs } from '../request/collect-body.ts';
import { decodeUtf8, hasMoreValues } from '../request/json.ts';
import type { Performable } from '../request/perform.ts';
import { callerOfConnection, callerOfKey, isAgentKey } from '../team/agents/agents.ts';
import { type Catalogue, catalogueOf, createAgentServer } from './agent-server.ts';
import { chooseTools } from './tool-choice.ts';

const BODY_BYTES = MIB;
/** Several times more than the longest list that a tool takes. */
const MAX_VALUES = 2000;
/** Streams that clients keep open for notifications. The server sends none, so a few are enough. */
const MAX_STREAMS = 100;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const METHODS = ['GET', 'POST', 'DELETE'];

/** What the handler of the SDK passes on to the server of a request. */
type Serving = { readonly caller: AccountCaller; readonly catalogue: Catalogue };

/** Mounts the endpoint, with a tool for every operation that is marked for MCP. */
export function mountMcp(
  app: FastifyInstance,
  ctx: Context,
  auth: Auth,
  operations: readonly Partial<Performable>[],
): void {
  const catalogue = catalogueOf(operations);
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { caller, catalogue: offered } = authInfo!.extra as Serving;
      return createAgentServer(ctx, caller, offered);
    },
    {
      onerror: (err) => ctx.log.debug({ err }, 'an MCP request was refused'),
      maxRequestBodySize: BODY_BYTES,
      maxSubscriptions: MAX_STREAMS,
    },
  );
  // Open streams would keep the server from stopping.
  app.addHook('preClose', () => handler.close());
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    addBytesParser(scope, '*', bodyDeadlineMs(ctx.config), requireFewValues);
    mountAgentPreflight(scope, ctx, '/mcp', METHODS);
    scope.route({
      method: METHODS,
      url: '/mcp',
      bodyLimit: BODY_BYTES,
      config: { operation: 'mcp', secret: true },
      // This runs before the body is read, so that callers without access need not send it.
      onRequest: async (request, reply) => {
        allowAgentOrigin(ctx, request, reply);
        requireOwnHost(ctx, request);
        request.caller = await admit(ctx, auth, request, reply);
      },
      errorHandler: (error) => {
        throw error instanceof BodyTooLargeError
          ? errors.tooLarge(`The request is larger than ${BODY_BYTES} bytes. Make it smaller.`, { cause: error })
          : error;
      },
      handler: async (request, reply) => {
        const caller = request.caller as AccountCaller;
        const extra: Serving = {
          caller,
          catalogue: { ...catalogue, tools: chooseTools(catalogue.tools, choiceOf(request)) },
        };
        const authInfo = { token: '', clientId: caller.agent?.id ?? '', scopes: [], extra };
        const fetched = fromRequest(request, () => handler.fetch(webRequestOf(ctx, request, reply), { authInfo }));
        return send(reply, await fetched);
      },
    });
  });
}

/** The parameter may be repeated, as lists often are. */
function choiceOf({ query }: FastifyRequest): string | undefined {
  const { tools } = query as { tools?: string | string[] };
  return tools === undefined ? undefined : [tools].flat().join(',');
}

/** Checked before the SDK parses the body, which it then copies and checks several times. */
function requireFewValues(body: Buffer): Buffer {
  decodeUtf8(body);
  if (hasMoreValues(body, MAX_VALUES))
    throw new UnreadableBodyError(`The request has more than ${MAX_VALUES} values. Send fewer.`);
  return body;
}

async function admit(ctx: Context, auth: Auth, request: FastifyRequest, reply: FastifyReply): Promise<AccountCaller> {
  try {
    return await identifyAgent(ctx, auth, request.headers.authorization);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) reply.header('www-authenticate', challengeOf(ctx, error));
    throw error;
  }
}

/**
 * A page of another site can make its host name resolve to this machine and then call this service (DNS rebinding).
 * Therefore Host must name this service, and Origin, if a browser sends it, this service or a site that the operator
 * allows. Throws `crossSite`.
 */
function requireOwnHost(ctx: Context, request: FastifyRequest): void {
  const { hostname } = new URL(ctx.publicUrl);
  const allowed = [...new Set([hostname, ...LOOPBACK])];
  if (!validateHostHeader(request.headers.host, allowed).ok)
    throw errors.crossSite(`Host: not the host of this service. Use ${ctx.publicUrl}, or set CHAUFFEUR_PUBLIC_URL.`);
  const { origin } = request.headers;
  if (!mayConnect(ctx, origin) && !validateOriginHeader(origin, allowed).ok)
    throw errors.crossSite(
      'Origin: the request came from a page of another site. Operators allow sites with CHAUFFEUR_MCP_ORIGINS.',
    );
}

function webRequestOf(ctx: Context, request: FastifyRequest, reply: FastifyReply): Request {
  const closed = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) closed.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value);
  const { method } = request;
  const body = method === 'POST' ? { body: new Uint8Array((request.body as Buffer | undefined) ?? []) } : {};
  return new Request(new URL('/mcp', ctx.publicUrl), { method, headers, signal: closed.signal, ...body });
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  // Fastify would send null as JSON.
  return reply.send(response.body === null ? undefined : Readable.fromWeb(response.body as ReadableStream));
}

/** Longer than every key and token of this service. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * Throws `notSignedIn` without a token, and `unknownPersonalKey` for an invalid one. Cookies and deploy keys are
 * ignored.
 */
async function identifyAgent(ctx: Context, auth: Auth, authorization: string | undefined): Promise<AccountCaller> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (token === undefined) throw errors.notSignedIn('Send a personal key or an access token as a bearer token.');
  const caller = token.length > MAX_TOKEN_LENGTH ? null : await callerOf(ctx, auth, token);
  if (caller === null) throw errors.unknownPersonalKey();
  return caller;
}

async function callerOf(ctx: Context, auth: Auth, token: string): Promise<AccountCaller | null> {
  if (isAgentKey(token)) return callerOfKey(ctx, token);
  const claims = await accessTokenOf(auth, token);
  return claims === null ? null : callerOfConnection(ctx, claims);
}

/** How a client gets a token (RFC 6750, section 3; RFC 9728, section 5.1). */
function challengeOf(ctx: Context, error: ApiError): string {
  const parameters = offersOAuth(ctx.publicUrl)
    ? [`resource_metadata="${metadataUrl(ctx.publicUrl)}"`, 'scope="mcp:read mcp:write"']
    : ['realm="personal key"'];
  return `Bearer ${[...(error.code === CODES.unknownPersonalKey ? ['error="invalid_token"'] : []), ...parameters].join(', ')}`;
}

function metadataUrl(publicUrl: string): string {
  const { origin, pathname } = new URL(agentResource(publicUrl));
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}
