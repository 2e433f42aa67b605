// The permissions and games of agents, and the requests that open the consent page.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listAgentKeys } from '@chauffeur/contract/operations/agents';

export type Key = OutputOf<typeof listAgentKeys>['keys'][number];
type Reach = Pick<Key, 'may_write' | 'game'>;

export function formatRights({ may_write }: Pick<Reach, 'may_write'>): string {
  return may_write ? 'Read and change' : 'Read only';
}

export function formatGames({ game }: Pick<Reach, 'game'>): string {
  return game === null ? 'All games' : game.name;
}

export type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ revoked_at, expires_at }: Pick<Key, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}

export type ConsentRequest = {
  /** The signed query string of the page, which is returned unchanged. */
  readonly query: string;
  readonly clientId: string;
  readonly asksToWrite: boolean;
  /** The host that receives the access, or null for a program on this computer. */
  readonly site: string | null;
  /** The URL scheme that receives the access if it is not a website, such as `cursor:`. */
  readonly scheme: string | null;
};

/** Reads the request from the query string of the consent page. Null if it isn't valid. */
export function readConsentRequest(request: string): ConsentRequest | null {
  const query = new URLSearchParams(request);
  const [clientId, redirect] = [query.get('client_id'), query.get('redirect_uri')];
  if (clientId === null || redirect === null || !URL.canParse(redirect)) return null;
  const { protocol, hostname, host } = new URL(redirect);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  const isLocal = isWeb && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return {
    query: request,
    clientId,
    asksToWrite: query.get('scope')?.split(' ').includes('mcp:write') === true,
    site: isWeb && !isLocal ? host : null,
    scheme: isWeb ? null : protocol,
  };
}

/** The requested scopes that the person's choice allows. */
export function scopesOf(consent: ConsentRequest, mayWrite: boolean): string {
  const scopes = new URLSearchParams(consent.query).get('scope')?.split(' ').filter(Boolean) ?? [];
  return scopes.filter((scope) => mayWrite || scope !== 'mcp:write').join(' ');
}
