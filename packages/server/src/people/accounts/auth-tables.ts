// The tables and columns of better-auth's models, which this service names in its own way.
import { hash } from 'node:crypto';

/** What a random text is for, where better-auth says so. */
const KIND = /^(reset-password|trust-device|2fa-attempts|2fa|delete-account)[:-]/;

/**
 * `reset-password:<token>` becomes `reset-password#<hash>`: anyone who can read the table could otherwise use the links
 * in mails. better-auth also looks for an identifier as it is, for rows of earlier versions, so what is stored must not
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
export const TWO_FACTOR_TABLES = {
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
export const PASSKEY_TABLES = {
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
