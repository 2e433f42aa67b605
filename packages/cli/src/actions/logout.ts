// `chauffeur logout`: revokes the key of a server, then forgets it.
import { endCliLogin } from '@chauffeur/contract/operations/cli-logins';
import type { Action } from './action.ts';

export const logout: Action<object> = async ({ connectAsGuest, logins, retryBriefly, signal, urls }) => {
  const { url } = urls();
  const { origin } = new URL(url);
  const stored = logins.read().all.find((login) => login.url === url);
  if (stored === undefined) {
    return { data: { url, signed_out: false }, lines: [`You were not signed in to ${origin}.`] };
  }
  // Forgotten only afterwards: otherwise a key that still works could be revoked on the website only.
  await retryBriefly(() => connectAsGuest().call(endCliLogin, { key: stored.key }, { signal }));
  logins.remove(url);
  return { data: { url, signed_out: true }, lines: [`Signed out of ${origin}.`] };
};
