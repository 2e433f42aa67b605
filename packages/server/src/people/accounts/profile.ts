// What people see and set of their own account: the handle of their page, and what they can sign in with.

import { errors } from '@chauffeur/contract/errors';
import * as profile from '@chauffeur/contract/operations/accounts';
import * as signIn from '@chauffeur/contract/operations/accounts';
import { findHandleProblem } from '@chauffeur/contract/slug';
import { DAY } from '../../kernel/clock.ts';
import { isUniqueViolation, transact } from '../../kernel/database/db.ts';
import { auditChange } from '../../request/audit.ts';
import {
  endFormerAddress,
  FORMER_HANDLES,
  keepFormerAddress,
  RESERVED_DAYS,
  ReservedAddressError,
} from '../../request/former-addresses.sql.ts';
import { handle } from '../../request/route.ts';
import { isReservedHandle, lockHandle, readHandle, updateHandle } from './accounts.sql.ts';
import { readFactors } from './second-factors.sql.ts';

export const getProfile = handle(profile.getProfile, async (ctx, { caller: { user } }) => {
  return { handle: await readHandle(ctx.db, user.id) };
});

/**
 * Throws `invalid` for a handle that is malformed, reserved or taken. A former handle keeps leading to the person's
 * page.
 */
export const updateProfile = handle(profile.updateProfile, async (ctx, { caller: { user }, input: { handle } }) => {
  const problem = handle === null ? null : findHandleProblem(handle);
  if (problem !== null) throw errors.invalid(`handle: ${problem}.`);
  try {
    await transact(ctx.db, async (tx) => {
      const former = await lockHandle(tx, user.id);
      auditChange('handle', former, handle);
      if (former === handle) return;
      await updateHandle(tx, user.id, handle);
      const now = ctx.clock.now();
      // The check runs after the account has the handle, when a concurrent change of another person's has been
      // committed.
      if (handle !== null) {
        if (await isReservedHandle(tx, handle, user.id, now)) throw new ReservedAddressError(handle);
        await endFormerAddress(tx, FORMER_HANDLES, handle);
      }
      const reservedUntil = new Date(now.getTime() + RESERVED_DAYS * DAY);
      if (former !== null)
        await keepFormerAddress(tx, FORMER_HANDLES, { owner: user.id, address: former, now, reservedUntil });
    });
  } catch (error) {
    if (error instanceof ReservedAddressError)
      throw errors.invalid(`handle: ${handle} was another developer's, and is reserved. Choose another one.`, {
        cause: error,
      });
    // The unique index decides between concurrent requests.
    if (isUniqueViolation(error))
      throw errors.invalid(`handle: ${handle} belongs to another developer. Choose another one.`, { cause: error });
    throw error;
  }
  return { handle };
});

export const getSignInOptions = handle(signIn.getSignInOptions, async ({ config }) => {
  return { single_sign_on: config.oidcIssuer === undefined ? null : config.oidcName };
});

/** Throws `notSignedIn` if the account was deleted in the meantime. */
export const getSignInSecurity = handle(signIn.getSignInSecurity, async (ctx, { caller: { user, signInMethod } }) => {
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
