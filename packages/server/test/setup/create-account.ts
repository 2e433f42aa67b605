// Creates accounts as the operator's command does, but hashes each password only once: hashing is slow by design, and
// most tests need accounts with any password.
import { type Auth, createUser } from '../../src/people/accounts/accounts.ts';
import type { TestServer } from './server.ts';

type Account = { readonly email: string; readonly password: string; readonly name: string; readonly verified: boolean };

const hashes = new Map<string, Promise<string>>();

/** The stored hashes are real, so the accounts can sign in. */
export function createAccount({ ctx, app }: TestServer, account: Account): ReturnType<typeof createUser> {
  const context = app.auth.$context.then(({ password, ...rest }) => {
    const hashOnce = (text: string) => hashes.getOrInsertComputed(text, password.hash);
    return { ...rest, password: { ...password, hash: hashOnce } };
  });
  return createUser(ctx, { ...app.auth, $context: context } as Auth, account);
}
