// Lets editors register the addresses by which they get answers, which the OAuth provider’s rule for private-use schemes leaves out.
import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';

/**
 * Editors of the family of VS Code open `cursor://anysphere.cursor-mcp/oauth/callback`: their scheme, the publisher and name of the part
 * that is meant, and a path. RFC 8252, section 7.1, wants schemes that are a domain turned around, which these are not; any other scheme
 * with a host could as well send the answer over a network.
 */
const EDITOR_REDIRECT = /^(cursor|vscode|vscode-insiders|windsurf):\/\/[a-z0-9-]+\.[a-z0-9.-]+\/[\w\-./]*$/i;

/** What is registered in place of such an address: of the form that the provider takes, and opened by nobody. */
const STAND_IN = 'stands-in.for:/';

export function isEditorRedirect(uri: string): boolean {
  return EDITOR_REDIRECT.test(uri);
}

export function standIn(uri: string): string {
  return isEditorRedirect(uri) ? STAND_IN + encodeURIComponent(uri) : uri;
}

/** The address that it stands in for; any other text as it is, also one that only looks like it. */
export function withoutStandIn(uri: string): string {
  if (!uri.startsWith(STAND_IN)) return uri;
  const meant = uri.slice(STAND_IN.length).replaceAll('%3A', ':').replaceAll('%2F', '/');
  return isEditorRedirect(meant) ? meant : uri;
}

const isRegistration = ({ path }: { path?: string | undefined }) => path === '/oauth2/register';

/** Has the provider check everything else of a registration, and puts the editor’s addresses into what it kept. */
export function editorRedirects(): BetterAuthPlugin {
  return {
    id: 'editor-redirects',
    hooks: {
      before: [
        {
          matcher: isRegistration,
          handler: createAuthMiddleware(async ({ body }) => {
            const uris: unknown = body?.redirect_uris;
            if (!Array.isArray(uris)) return;
            const redirect_uris = uris.map((uri: unknown) => (typeof uri === 'string' ? standIn(uri) : uri));
            return { context: { body: { ...body, redirect_uris } } };
          }),
        },
      ],
      after: [
        {
          matcher: isRegistration,
          handler: createAuthMiddleware(async (ctx) => {
            const registered = ctx.context.returned as { client_id?: string; redirect_uris?: string[] } | undefined;
            const { client_id: clientId, redirect_uris: kept } = registered ?? {};
            if (clientId === undefined || kept === undefined) return;
            const redirectUris = kept.map(withoutStandIn);
            if (redirectUris.every((uri, index) => uri === kept[index])) return;
            await keepRedirects(ctx.context.adapter, clientId, redirectUris);
            return ctx.json({ ...registered, redirect_uris: redirectUris });
          }),
        },
      ],
    },
  };
}

type Adapter = Parameters<NonNullable<BetterAuthPlugin['init']>>[0]['adapter'];

async function keepRedirects(adapter: Adapter, clientId: string, redirectUris: string[]): Promise<void> {
  const where = [{ field: 'clientId', value: clientId }];
  await adapter.update({ model: 'oauthClient', where, update: { redirectUris } });
}
