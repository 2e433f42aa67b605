// The access of an API token by part of the API, as scopes and in words.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { revokeApiToken } from '@chauffeur/contract/operations/api-tokens';
import { TOKEN_AREAS, type TokenArea, type TokenScope } from '@chauffeur/contract/token-scopes';

/** What was chosen for each part; nothing is the same as `none`. */
export type Access = { readonly [area in TokenArea]?: 'none' | 'read' | 'write' };

const AREAS = Object.keys(TOKEN_AREAS) as TokenArea[];

export function scopesOf(access: Access): TokenScope[] {
  return AREAS.flatMap((area) => {
    const chosen = access[area] ?? 'none';
    return chosen === 'none' ? [] : [`${area}:${chosen}` as const];
  });
}

/** `Can change builds and bugs. Can read crashes.` */
export function formatAccess(scopes: readonly TokenScope[]): string {
  const written = AREAS.filter((area) => scopes.includes(`${area}:write`));
  const read = AREAS.filter((area) => !written.includes(area) && scopes.includes(`${area}:read`));
  const list = new Intl.ListFormat('en', { type: 'conjunction' });
  return [
    ...(written.length > 0 ? [`Can change ${list.format(written)}.`] : []),
    ...(read.length > 0 ? [`Can read ${list.format(read)}.`] : []),
  ].join(' ');
}

/** `Lantern, Owls of the North`. */
export function formatGames({ games }: Pick<OutputOf<typeof revokeApiToken>, 'games'>): string {
  if (games === null) return 'All games';
  return games.length === 0 ? 'None, they were deleted' : games.map(({ name }) => name).join(', ');
}
