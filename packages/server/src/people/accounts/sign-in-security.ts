// What the sign-in page offers, and what an account has besides its password.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/sign-in';
import { handle } from '../../request/route.ts';
import { readFactors } from './second-factors.sql.ts';

export const getSignInOptions = handle(contract.getSignInOptions, async ({ config }) => {
  return { single_sign_on: config.oidcIssuer === undefined ? null : config.oidcName };
});

/** Throws `notSignedIn` if the account was deleted in the meantime. */
export const getSignInSecurity = handle(contract.getSignInSecurity, async (ctx, { caller: { user, signInMethod } }) => {
  const factors = await readFactors(ctx.db, user.id);
  if (factors === undefined) throw errors.notSignedIn();
  return {
    password: factors.password,
    authenticator_app: factors.totp,
    passkeys: factors.passkeys,
    single_sign_on: factors.sso,
    signed_in_with: signInMethod,
  };
});
