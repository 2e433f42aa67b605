// `chauffeur logout`: revokes and forgets the key of a server.
import { endCliLogin } from '@chauffeur/contract/operations/cli-logins';
import type { Command } from 'commander';
import { type Act, type Action, withExample } from './command.ts';

export function logoutCommand(command: Command, act: Act): Command {
  return withExample(command, 'logout').action(act(logout));
}

const logout: Action<object> = async ({ connectAsGuest, logins, retryBriefly, signal, urls }) => {
  const { url } = urls();
  const { origin } = new URL(url);
  const stored = logins.read().all.find((login) => login.url === url);
  if (stored === undefined) {
    return { data: { url, signed_out: false }, lines: [`You were not signed in to ${origin}.`] };
  }
  // The key is forgotten only afterwards. Otherwise, if that fails, it could be revoked only on the website.
  await retryBriefly(() => connectAsGuest().call(endCliLogin, { key: stored.key }, { signal }));
  logins.remove(url);
  return { data: { url, signed_out: true }, lines: [`Signed out of ${origin}.`] };
};
