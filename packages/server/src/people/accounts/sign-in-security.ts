// What the sign-in page offers, and what an account has besides its password.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/sign-in';
import type { Context } from '../../context.ts';
import type { Call } from '../../request/call.ts';
import { readFactors } from './second-factors.sql.ts';

export async function getSignInOptions({ config }: Context): Promise<OutputOf<typeof contract.getSignInOptions>> {
  return { single_sign_on: config.oidcIssuer === undefined ? null : config.oidcName };
}

/** Throws 4011 if the account was deleted in the meantime. */
export async function getSignInSecurity(
  ctx: Context,
  { caller: { user, signInMethod } }: Call<typeof contract.getSignInSecurity>,
): Promise<OutputOf<typeof contract.getSignInSecurity>> {
  const factors = await readFactors(ctx.db, user.id);
  if (factors === undefined) throw new ApiError(4011);
  return {
    password: factors.password,
    authenticator_app: factors.totp,
    passkeys: factors.passkeys,
    single_sign_on: factors.sso,
    signed_in_with: signInMethod,
  };
}
