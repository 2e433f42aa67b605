// Puts the files of games that are played on HTTP, and keeps everything else off their hosts.
import { ApiError } from '@chauffeur/contract/errors';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { isPlayHost } from '../features/play/origin.ts';
import { servePlayed } from '../features/play/serve.ts';
import { mountPreflights } from './cross-origin.ts';

const ROUTE = '/play/:pass/*';

/** No cookie and no header says who asks: the pass in the path is all there is. */
export function mountPlay(app: FastifyInstance, ctx: Context): void {
  app.route<{ Params: { pass: string } }>({
    method: ['GET', 'HEAD'],
    exposeHeadRoute: false,
    url: ROUTE,
    handler: async (request, reply) => {
      const { pass } = request.params;
      return servePlayed(ctx, request, reply, { pass, path: pathOf(request.url, pass) });
    },
  });
  mountPreflights(app, [
    { method: 'GET', url: ROUTE },
    { method: 'HEAD', url: ROUTE },
  ]);
}

/** To be added before any other hook that answers: on a host of games nothing of the website is to be had, nor of its API. */
export function keepPlayHostApart(app: FastifyInstance, ctx: Context): void {
  if (ctx.config.playUrl === undefined) return;
  app.addHook('onRequest', async (request) => {
    if (isPlayHost(ctx, request.hostname) && !request.url.startsWith('/play/'))
      throw new ApiError(4040, 'Only games are played on this host.');
  });
}

/** From the address as it came: the router drops a slash at its end. What cannot be decoded is the name of no entry. */
function pathOf(url: string, pass: string): string {
  const [path = ''] = url.slice(`/play/${pass}/`.length).split('?', 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
