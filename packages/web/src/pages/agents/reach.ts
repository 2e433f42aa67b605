// What a program may do and see, in the words of the pages about programs.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listAgentKeys } from '@chauffeur/contract/operations/agents';

export type Key = OutputOf<typeof listAgentKeys>['keys'][number];
type Reach = Pick<Key, 'may_write' | 'game'>;

export function sayRights({ may_write }: Pick<Reach, 'may_write'>): string {
  return may_write ? 'Reads and changes' : 'Only reads';
}

export function sayGames({ game }: Pick<Reach, 'game'>): string {
  return game === null ? 'All your games' : game.name;
}

export type KeyState = 'works' | 'expired' | 'revoked';

export function stateOf({ revoked_at, expires_at }: Pick<Key, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'works';
}

export type Asked = {
  /** What the page was sent, whole and signed: it goes back as it came. */
  readonly query: string;
  readonly clientId: string;
  readonly asksToWrite: boolean;
  /** Where the answer goes: the name of a site, or null for a program on this computer. */
  readonly site: string | null;
  /** The same, when it is no site: `cursor:` and the like. */
  readonly scheme: string | null;
};

/** What a program asks for, out of the request that the consent page was opened with; null for what is none. */
export function readAsked(request: string): Asked | null {
  const query = new URLSearchParams(request);
  const [clientId, redirect] = [query.get('client_id'), query.get('redirect_uri')];
  if (clientId === null || redirect === null || !URL.canParse(redirect)) return null;
  const { protocol, hostname, host } = new URL(redirect);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  const isHere = isWeb && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return {
    query: request,
    clientId,
    asksToWrite: query.get('scope')?.split(' ').includes('mcp:write') === true,
    site: isWeb && !isHere ? host : null,
    scheme: isWeb ? null : protocol,
  };
}

/** The scopes that go with the person’s choice, of those that were asked for. */
export function scopesOf(asked: Asked, mayWrite: boolean): string {
  const scopes = new URLSearchParams(asked.query).get('scope')?.split(' ').filter(Boolean) ?? [];
  return scopes.filter((scope) => mayWrite || scope !== 'mcp:write').join(' ');
}
