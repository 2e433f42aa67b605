// Leads from the former address of a renamed game to its current one: its page and everything below it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../context.ts';
import { findRenamed, requireVisible } from '../features/games/games.ts';

/** Short, because another game can have the address later. */
const KEPT_SECONDS = 300;
const ADDRESS = /^\/g\/(?<slug>[a-z0-9-]+)(?<rest>[/?].*)?$/s;

/**
 * Sends a redirect if the address of the request is a former one of a game that the caller may see. Returns whether it
 * did.
 */
export async function redirectRenamed(
  ctx: Context,
  caller: Caller,
  { url, method }: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const { slug, rest = '' } = ADDRESS.exec(url)?.groups ?? {};
  if (slug === undefined || !['GET', 'HEAD'].includes(method)) return false;
  const game = await findRenamed(ctx, slug);
  if (game === null) return false;
  // Throws 4040 for drafts, whose names only members may know.
  await requireVisible(ctx, game, caller);
  const isShared = caller.kind === 'anonymous';
  reply
    .code(301)
    .header('location', `/g/${game.slug}${rest}`)
    .header('vary', 'Cookie, X-Access-Token')
    .header('cache-control', isShared ? `public, max-age=${KEPT_SECONDS}` : 'private, no-cache')
    .send();
  return true;
}
