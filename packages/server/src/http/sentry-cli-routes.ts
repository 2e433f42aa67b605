// Serves the addresses of sentry-cli, below `/api/0`. Its requests and responses are those of Sentry's own API.
import { CODES, errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { assembleBundle, assembleDebugFiles } from '../crash/sentry/files/assemble.ts';
import { capabilitiesOf, receiveChunks } from '../crash/sentry/files/chunks.ts';
import * as releases from '../crash/sentry/releases/releases.ts';
import { fromRequest } from '../request/audit.ts';
import { bodyDeadlineMs, collectBody } from '../request/collect-body.ts';
import { isObject, parseJson } from '../request/json.ts';
import { leaveBodiesUnread } from './body-parsers.ts';
import { sendError } from './send-error.ts';
import { projectOf, requireProject } from './sentry-project.ts';

type Params = { readonly org?: string; readonly project?: string; readonly version?: string };
type Call = {
  readonly project: releases.Project;
  readonly params: Params;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  readonly request: FastifyRequest;
};
type Result = { readonly status?: number; readonly data?: unknown };

type Endpoint = {
  /** The id in logs and metrics. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Whether the function reads the body itself. */
  readonly isForm?: true;
  readonly answer: (ctx: Context, call: Call) => Promise<Result>;
};

const RELEASES = '/api/0/organizations/:org/releases';
const RELEASE = `${RELEASES}/:version`;

const CHUNKS = '/api/0/organizations/:org/chunk-upload';

const ENDPOINTS: readonly Endpoint[] = [
  { operation: 'sentryCli.info', method: 'GET', url: '/api/0', answer: async (_, { project }) => infoOf(project) },
  { operation: 'sentryCli.listReleases', method: 'GET', url: RELEASES, answer: listReleases },
  {
    operation: 'sentryCli.listProjectReleases',
    method: 'GET',
    url: '/api/0/projects/:org/:project/releases',
    answer: listReleases,
  },
  {
    operation: 'sentryCli.createRelease',
    method: 'POST',
    url: RELEASES,
    answer: async (ctx, { project, body }) => {
      const { isNew, release } = await releases.createRelease(ctx, project, body);
      return { status: isNew ? 201 : 208, data: release };
    },
  },
  {
    operation: 'sentryCli.getRelease',
    method: 'GET',
    url: RELEASE,
    answer: async (ctx, { project, params: { version = '' } }) => {
      const release = await releases.findRelease(ctx, project, version);
      if (release === undefined) throw errors.notFound('The game has neither a release nor a build of this version.');
      return { data: release };
    },
  },
  {
    operation: 'sentryCli.updateRelease',
    method: 'PUT',
    url: RELEASE,
    answer: async (ctx, { project, params: { version = '' }, body }) => ({
      data: await releases.updateRelease(ctx, project, version, body),
    }),
  },
  {
    operation: 'sentryCli.deleteRelease',
    method: 'DELETE',
    url: RELEASE,
    answer: async (ctx, { project, params: { version = '' } }) => {
      await releases.deleteRelease(ctx, project, version);
      return { status: 204 };
    },
  },
  {
    operation: 'sentryCli.listCommits',
    method: 'GET',
    url: `${RELEASE}/commits`,
    answer: async (ctx, { project, params: { version = '' } }) => ({
      data: await releases.listCommits(ctx, project, version),
    }),
  },
  {
    operation: 'sentryCli.getPreviousRelease',
    method: 'GET',
    url: `${RELEASE}/previous-with-commits`,
    answer: async (ctx, { project, params: { version = '' } }) => ({
      data: (await releases.findPrevious(ctx, project, version)) ?? {},
    }),
  },
  {
    operation: 'sentryCli.listDeploys',
    method: 'GET',
    url: `${RELEASE}/deploys`,
    answer: async (ctx, { project, params: { version = '' } }) => ({
      data: await releases.listDeploys(ctx, project, version),
    }),
  },
  {
    operation: 'sentryCli.createDeploy',
    method: 'POST',
    url: `${RELEASE}/deploys`,
    answer: async (ctx, { project, params: { version = '' }, body }) => ({
      status: 201,
      data: await releases.addDeploy(ctx, project, version, body),
    }),
  },
  {
    operation: 'sentryCli.getUploadOptions',
    method: 'GET',
    url: CHUNKS,
    answer: async ({ publicUrl }, { params: { org = '' } }) => ({
      data: capabilitiesOf(`${publicUrl}${CHUNKS.replace(':org', encodeURIComponent(org))}/`),
    }),
  },
  {
    operation: 'sentryCli.uploadChunks',
    method: 'POST',
    url: CHUNKS,
    isForm: true,
    answer: async (ctx, { project, request }) => {
      await receiveChunks(ctx, project, request);
      return {};
    },
  },
  {
    operation: 'sentryCli.assembleDebugFiles',
    method: 'POST',
    url: '/api/0/projects/:org/:project/files/difs/assemble',
    answer: async (ctx, { project, body }) => ({ data: await assembleDebugFiles(ctx, project, body) }),
  },
  {
    operation: 'sentryCli.assembleBundle',
    method: 'POST',
    url: '/api/0/organizations/:org/artifactbundle/assemble',
    answer: async (ctx, { project, body }) => ({ data: await assembleBundle(ctx, project, body) }),
  },
  // Because there are none, sentry-cli sends the commits of the folder that it runs in.
  {
    operation: 'sentryCli.listRepositories',
    method: 'GET',
    url: '/api/0/organizations/:org/repos',
    answer: async () => ({ data: [] }),
  },
];

export function mountSentryCli(app: FastifyInstance, ctx: Context): void {
  app.register(async (scope) => {
    leaveBodiesUnread(scope);
    for (const endpoint of ENDPOINTS) mountEndpoint(scope, ctx, endpoint);
  });
}

function mountEndpoint(app: FastifyInstance, ctx: Context, { operation, method, url, isForm, answer }: Endpoint): void {
  app.route<{ Params: Params }>({
    method,
    url,
    exposeHeadRoute: false,
    config: { operation },
    errorHandler: (error, request, reply) => sendProblem(ctx, request, reply, error),
    handler: async (request, reply) => {
      const { params } = request;
      // A caller without access can't have the server read a body.
      const project = await projectOf(ctx, request, params.project ?? '');
      request.checkAccess = async () => void (await projectOf(ctx, request, params.project ?? ''));
      const body = method === 'GET' || isForm === true ? undefined : await readBody(ctx, request);
      await requireSameProject(ctx, project, body);
      const work = () => answer(ctx, { project, params, body, request });
      const { status = 200, data } = await (method === 'GET' ? work() : fromRequest(request, work));
      reply.code(status).header('cache-control', 'no-store');
      if (data === undefined) return reply.send();
      return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(data));
    },
  });
}

const MAX_BODY_BYTES = 4 * MIB;
const MAX_VALUES = 100_000;

function readBody(ctx: Context, { raw }: FastifyRequest): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  collectBody(raw, { maxBytes: MAX_BODY_BYTES, deadlineMs: bodyDeadlineMs(ctx.config) }, (error, bytes) => {
    if (error !== null) return reject(error);
    try {
      resolve(parseJson(bytes as Buffer, MAX_VALUES));
    } catch (problem) {
      reject(problem);
    }
  });
  return promise;
}

/** Throws `notFound` unless all projects that a body names are the game of the token. */
async function requireSameProject(ctx: Context, { caller }: releases.Project, body: unknown): Promise<void> {
  const projects = isObject(body) && Array.isArray(body.projects) ? body.projects : [];
  const names = new Set(projects.map((name) => (typeof name === 'number' ? String(name) : name)));
  if (names.size > MAX_NAMES) throw errors.invalid('projects: too many. Name one game.');
  for (const name of names) {
    if (typeof name !== 'string') throw errors.invalid('projects: must be names.');
    await requireProject(ctx, caller, name);
  }
}

/** A game has a uid, a slug, former slugs and a number. */
const MAX_NAMES = 8;

/** Sentry's names for what these addresses allow. */
const SCOPES = ['org:read', 'project:read', 'project:releases'];

/** The name of the credential, where Sentry has that of a person. */
function infoOf({ caller: { user, token, apiToken, keyRef } }: releases.Project): Result {
  const [name] = [apiToken, token?.name, user?.name, keyRef].filter((text) => text !== undefined);
  const id = token?.id ?? user?.id ?? keyRef;
  return { data: { version: '0', auth: { scopes: SCOPES }, user: { id, name, username: name, email: name } } };
}

async function listReleases(ctx: Context, { project }: Call): Promise<Result> {
  return { data: await releases.listReleases(ctx, project) };
}

function sendProblem(ctx: Context, request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  return sendError(ctx, request, reply, thrown, CODES.invalid, ({ message, status }) => ({
    detail: status >= 500 ? 'The server failed. Try again.' : message,
  }));
}
