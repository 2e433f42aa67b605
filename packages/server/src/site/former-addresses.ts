// Leads from a former address to the current one: of a renamed game, with everything below its page, and of a developer
// with another handle.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../context.ts';
import { requireVisible } from '../people/game-access/game-access.ts';
import { findRenamed } from '../people/games/games.ts';
import { findRenamedDeveloper } from '../shop/store/store.ts';

/** Short, because another game or developer can have the address later. */
const KEPT_SECONDS = 300;
const GAME = /^\/g\/(?<name>[a-z0-9-]+)(?<rest>[/?].*)?$/s;
const DEVELOPER = /^\/@(?<name>[a-z0-9-]+)(?<rest>\/?(?:\?.*)?)$/s;

/** Sends a redirect if the address of the request is a former one that the caller may know. Returns whether it did. */
export async function redirectFormer(
  ctx: Context,
  caller: Caller,
  { url, method }: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  if (!['GET', 'HEAD'].includes(method)) return false;
  const location = (await findGamePage(ctx, caller, url)) ?? (await findDeveloperPage(ctx, url));
  if (location === null) return false;
  const isShared = caller.kind === 'anonymous';
  reply
    .code(301)
    .header('location', location)
    .header('vary', 'Cookie, X-Access-Token')
    .header('cache-control', isShared ? `public, max-age=${KEPT_SECONDS}` : 'private, no-cache')
    .send();
  return true;
}

async function findGamePage(ctx: Context, caller: Caller, url: string): Promise<string | null> {
  const { name, rest = '' } = GAME.exec(url)?.groups ?? {};
  const game = name === undefined ? null : await findRenamed(ctx, name);
  if (game === null) return null;
  // Throws `notFound` for drafts, whose names only members may know.
  await requireVisible(ctx, game, caller);
  return `/g/${game.slug}${rest}`;
}

async function findDeveloperPage(ctx: Context, url: string): Promise<string | null> {
  const { name, rest = '' } = DEVELOPER.exec(url)?.groups ?? {};
  const handle = name === undefined ? null : await findRenamedDeveloper(ctx, name);
  return handle === null ? null : `/@${handle}${rest}`;
}
