// Serves the files of games played in the browser, and keeps everything else off their hosts.
import { ApiError } from '@chauffeur/contract/errors';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { servePlayed } from '../features/play/play.ts';
import { hostnameOf } from '../request/host.ts';
import { isPlayHost } from '../request/play-origin.ts';
import { mountPreflights } from './cross-origin.ts';

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
  mountPreflights(app, [
    { method: 'GET', url: ROUTE },
    { method: 'HEAD', url: ROUTE },
  ]);
}

/** Must be added before any other hook that responds: hosts of games serve neither the website nor the API. */
export function keepPlayHostApart(app: FastifyInstance, ctx: Context): void {
  if (ctx.config.playUrl === undefined) return;
  app.addHook('onRequest', async (request) => {
    if (isPlayHost(ctx, hostnameOf(request.headers)) && !request.url.startsWith('/play/'))
      throw new ApiError(4040, 'Only games are played on this host.');
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
