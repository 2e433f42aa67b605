// Second factors and passkeys: better-auth's plugins for them, and what this service adds.
import { type PasskeyOptions, passkey } from '@better-auth/passkey';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins';
import { isLoopbackAddress } from '../../kernel/network/loopback.ts';
import { PASSKEY_TABLES, TWO_FACTOR_TABLES } from './auth-tables.ts';

/** How long a browser may skip the second factor after its last sign-in there. */
const TRUST_SECONDS = 30 * 24 * 3600;
/** How long a sign-in waits for the second factor. */
const CHALLENGE_SECONDS = 600;
/** The account then waits before it accepts another code, also from other addresses (NIST SP 800-63B, section 5.2.2). */
const LOCKOUT = { maxFailedAttempts: 10, durationSeconds: 900 };

export function signInPlugins(publicUrl: string): BetterAuthPlugin[] {
  return [
    twoFactor({
      issuer: `Chauffeur (${new URL(publicUrl).hostname})`,
      schema: TWO_FACTOR_TABLES,
      // An account that only signs in with single sign-on has no password.
      allowPasswordless: true,
      twoFactorCookieMaxAge: CHALLENGE_SECONDS,
      trustDeviceMaxAge: TRUST_SECONDS,
      accountLockout: LOCKOUT,
    }) as unknown as BetterAuthPlugin,
    passkey(passkeyOptions(publicUrl)) as unknown as BetterAuthPlugin,
  ];
}

/** Passkeys belong to a name, not to an address, so on this machine they belong to `localhost` (WebAuthn, section 5.1.2). */
function passkeyOptions(publicUrl: string): PasskeyOptions {
  const { hostname, port, origin } = new URL(publicUrl);
  const isLocal = isLoopbackAddress(hostname.replace(/^\[(.+)\]$/, '$1'));
  return {
    rpID: isLocal ? 'localhost' : hostname,
    rpName: 'Chauffeur',
    origin: isLocal ? `http://localhost:${port}` : origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    schema: PASSKEY_TABLES as unknown as NonNullable<PasskeyOptions['schema']>,
    // A passkey counts as two factors only if the device checked who holds it. The plugin leaves that open.
    registration: {
      afterVerification: ({ verification }) => requireUserVerification(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => requireUserVerification(verification.authenticationInfo.userVerified),
    },
  };
}

function requireUserVerification(verified: boolean | undefined): void {
  if (verified === true) return;
  throw new APIError('BAD_REQUEST', {
    code: 'USER_NOT_VERIFIED',
    message: 'The device did not check your fingerprint, face or PIN. Set one up on the device and try again.',
  });
}
