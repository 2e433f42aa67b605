// Serves the files of games played in the browser, and keeps everything else off their hosts.
import { errors } from '@chauffeur/contract/errors';
import { PLAY_PROBE } from '@chauffeur/contract/play-sandbox';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { hostnameOf, isPlayHost } from '../request/origins.ts';
import { servePlayed } from '../shop/play/play.ts';
import { PREFLIGHT_SECONDS } from './cross-origin.ts';

const ROUTE = '/play/:pass/*';

/** The pass in the path is the only credential; no cookie or header is read. */
export function mountPlay(app: FastifyInstance, ctx: Context): void {
  app.route<{ Params: { pass: string }; Querystring: { referrer?: string | string[] } }>({
    method: ['GET', 'HEAD'],
    exposeHeadRoute: false,
    url: ROUTE,
    handler: async (request, reply) => {
      const { pass } = request.params;
      const { referrer } = request.query;
      const path = pathOf(request.url, pass);
      return servePlayed(ctx, request, reply, { pass, path, referrer: typeof referrer === 'string' ? referrer : '' });
    },
  });
  // In a sandbox without an origin, a game asks for permission to load its own files with its own headers, whatever
  // their names.
  app.options(ROUTE, async (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, HEAD')
      .header('access-control-allow-headers', '*, Authorization')
      .header('access-control-max-age', String(PREFLIGHT_SECONDS))
      .send(),
  );
  app.get(PLAY_PROBE, async (request, reply) => {
    if (!isPlayHost(ctx, hostnameOf(request.headers))) throw errors.notFound();
    return reply.code(204).header('access-control-allow-origin', '*').header('cache-control', 'no-store').send();
  });
}

/** Must be added before any other hook that responds: hosts of games serve neither the website nor the API. */
export function keepPlayHostApart(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', async (request) => {
    const isOfGames = request.url.startsWith('/play/') || request.url === PLAY_PROBE;
    if (!isOfGames && isPlayHost(ctx, hostnameOf(request.headers)))
      throw errors.notFound('Only games are played on this host.');
  });
}

/** Uses the raw URL, because the router removes a trailing slash. A path that cannot be decoded matches no entry. */
function pathOf(url: string, pass: string): string {
  const [path = ''] = url.slice(`/play/${pass}/`.length).split('?', 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
