// Publishes the keys of the installation, by which clients check what they install.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { publishedKeys } from '../ship/signing-keys/signing-keys.ts';

/** Caches may be this many seconds behind a rotation. The old key is valid until a client has seen the new one. */
const KEPT_SECONDS = 300;

export function mountSigningKeys(app: FastifyInstance, ctx: Context): void {
  app.get('/.well-known/chauffeur-keys.json', async (_request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .header('cache-control', `public, max-age=${KEPT_SECONDS}`)
      .send(await publishedKeys(ctx)),
  );
}
