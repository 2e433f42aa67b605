// Allows editors to register their redirect addresses, which the OAuth provider's rule for private-use schemes
// excludes.
import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';

/**
 * Editors based on VS Code use addresses such as `cursor://anysphere.cursor-mcp/oauth/callback`: a scheme, the
 * publisher and name of an extension, and a path. RFC 8252, section 7.1, requires schemes in reverse domain form, which
 * these are not. Only known schemes are allowed, because others with a host could send the response over a network.
 */
const EDITOR_REDIRECT = /^(cursor|vscode|vscode-insiders|windsurf):\/\/[a-z0-9-]+\.[a-z0-9.-]+\/[\w\-./]*$/i;

/** The scheme of the placeholder for such an address, which the provider accepts and no program opens. */
const PLACEHOLDER = 'placeholder.for:/';

export function isEditorRedirect(uri: string): boolean {
  return EDITOR_REDIRECT.test(uri);
}

export function toPlaceholder(uri: string): string {
  return isEditorRedirect(uri) ? PLACEHOLDER + encodeURIComponent(uri) : uri;
}

/** The address behind a placeholder. Any other text is returned unchanged, even if it looks like a placeholder. */
export function fromPlaceholder(uri: string): string {
  if (!uri.startsWith(PLACEHOLDER)) return uri;
  const address = uri.slice(PLACEHOLDER.length).replaceAll('%3A', ':').replaceAll('%2F', '/');
  return isEditorRedirect(address) ? address : uri;
}

const isRegistration = ({ path }: { path?: string | undefined }) => path === '/oauth2/register';

/** Lets the provider check the rest of a registration, then restores the editor's addresses in the stored client. */
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
            const redirect_uris = uris.map((uri: unknown) => (typeof uri === 'string' ? toPlaceholder(uri) : uri));
            return { context: { body: { ...body, redirect_uris } } };
          }),
        },
      ],
      after: [
        {
          matcher: isRegistration,
          handler: createAuthMiddleware(async (ctx) => {
            const registered = ctx.context.returned as { client_id?: string; redirect_uris?: string[] } | undefined;
            const { client_id: clientId, redirect_uris: storedUris } = registered ?? {};
            if (clientId === undefined || storedUris === undefined) return;
            const redirectUris = storedUris.map(fromPlaceholder);
            if (redirectUris.every((uri, index) => uri === storedUris[index])) return;
            await updateRedirects(ctx.context.adapter, clientId, redirectUris);
            return ctx.json({ ...registered, redirect_uris: redirectUris });
          }),
        },
      ],
    },
  };
}

type Adapter = Parameters<NonNullable<BetterAuthPlugin['init']>>[0]['adapter'];

async function updateRedirects(adapter: Adapter, clientId: string, redirectUris: string[]): Promise<void> {
  const where = [{ field: 'clientId', value: clientId }];
  await adapter.update({ model: 'oauthClient', where, update: { redirectUris } });
}
