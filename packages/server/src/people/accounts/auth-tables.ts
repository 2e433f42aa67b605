// The tables and columns of better-auth's models, which this service names in its own way.
import { hash } from 'node:crypto';
import { type PasskeyOptions, passkey } from '@better-auth/passkey';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins';
import { isLoopbackAddress } from '../../kernel/network/loopback.ts';

/** What a random text is for, where better-auth says so. */
const KIND = /^(reset-password|trust-device|2fa-attempts|2fa|delete-account)[:-]/;

/**
 * `reset-password:<token>` becomes `reset-password#<hash>`: anyone who can read the table could otherwise use the links
 * in emails. better-auth also looks for an identifier as it is, for rows of earlier versions, so what is stored must not
 * be one.
 */
function storedIdentifierOf(identifier: string): string {
  return `${KIND.exec(identifier)?.[1] ?? ''}#${hash('sha256', identifier, 'base64url')}`;
}

/** The options of better-auth that name its tables. */
export const AUTH_TABLES = {
  user: {
    modelName: 'users',
    // Not inputs, so that users cannot make themselves operators.
    additionalFields: {
      operator: { type: 'boolean', required: false, input: false },
      disabledAt: { type: 'date', required: false, input: false, returned: false, fieldName: 'disabled_at' },
    },
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'user_sessions',
    additionalFields: {
      signInMethod: { type: 'string', required: false, input: false, fieldName: 'sign_in_method' },
    },
    fields: {
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  account: {
    modelName: 'user_credentials',
    fields: {
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  verification: {
    modelName: 'user_verifications',
    storeIdentifier: { hash: async (identifier: string) => storedIdentifierOf(identifier) },
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
} as const;

/** The schema of the plugin for second factors. */
const TWO_FACTOR_TABLES = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'user_two_factors',
    fields: {
      userId: 'user_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
} as const;

/** The schema of the plugin for passkeys. */
const PASSKEY_TABLES = {
  passkey: {
    modelName: 'user_passkeys',
    fields: {
      userId: 'user_id',
      publicKey: 'public_key',
      credentialID: 'credential_id',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at',
    },
  },
} as const;

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
