// Serves the files of the `chauffeur` command and the scripts that install it, below /cli.
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { cliFolderOf, readCliRelease, writeInstallScript } from '../ship/cli/cli.ts';

/** The files that a folder of the command can have. In a checkout, one is added while the server runs. */
const FILES = /^\/(command\.json|SHA256SUMS|chauffeur\.tgz|chauffeur-[a-z0-9]+-[a-z0-9]+\.gz)$/;

/** Mounts nothing if this server does not offer the command. */
export function mountCli(app: FastifyInstance, ctx: Context): void {
  if (readCliRelease(ctx) === null) return;
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => countPublicRead(ctx, request));
    scope.get('/cli/install.sh', async (_request, reply) =>
      reply.type('text/x-shellscript; charset=utf-8').send(await writeInstallScript(ctx, 'sh')),
    );
    scope.get('/cli/install.ps1', async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(await writeInstallScript(ctx, 'powershell')),
    );
    scope.register(fastifyStatic, {
      root: cliFolderOf(ctx),
      prefix: '/cli/',
      index: false,
      decorateReply: false,
      cacheControl: false,
      allowedPath: (path) => FILES.test(path),
      // The names stay the same in the next version.
      setHeaders: (reply) => reply.header('cache-control', 'public, no-cache'),
    });
  });
}
