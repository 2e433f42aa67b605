// Converts an error of better-auth into this service's envelope, or into what OAuth clients expect.
import { type Failure, failureOf } from '@chauffeur/contract/envelope';
import { ApiError, CODES, type ErrorCode, type ErrorData } from '@chauffeur/contract/errors';

/** An error of better-auth: with `code` from its own routes, with `error` from its OAuth routes. */
type Refusal = { code?: unknown; message?: unknown; error?: unknown; error_description?: unknown };

/** Our codes for codes of better-auth. For others, the status decides. */
const CODES_OF_REASONS: Readonly<Record<string, ErrorCode>> = {
  INVALID_EMAIL_OR_PASSWORD: CODES.wrongSignIn,
  OWNS_GAMES: CODES.accountOwnsGames,
  SECOND_FACTOR_REQUIRED: CODES.secondFactorNeeded,
  ACCOUNT_DISABLED: CODES.accountDisabled,
  SESSION_NOT_FRESH: CODES.signInTooOld,
  INVALID_CODE: CODES.wrongSecondFactor,
  CODE_USED: CODES.wrongSecondFactor,
  INVALID_BACKUP_CODE: CODES.wrongSecondFactor,
  INVALID_TWO_FACTOR_COOKIE: CODES.secondFactorExpired,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: CODES.secondFactorExpired,
  ACCOUNT_TEMPORARILY_LOCKED: CODES.limitReached,
  PASSKEY_NOT_FOUND: CODES.passkeyRefused,
  AUTHENTICATION_FAILED: CODES.passkeyRefused,
  CHALLENGE_NOT_FOUND: CODES.passkeyRefused,
  USER_NOT_VERIFIED: CODES.passkeyRefused,
  INVALID_ORIGIN: CODES.crossSite,
  MISSING_OR_NULL_ORIGIN: CODES.crossSite,
  CROSS_SITE_NAVIGATION_LOGIN_BLOCKED: CODES.crossSite,
};

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: CODES.notSignedIn,
  404: CODES.notFound,
  429: CODES.limitReached,
  503: CODES.unavailable,
};

/** Returns the error with a code of the registry. `reason` keeps better-auth's own word for it. */
export function errorOf(status: number, refusal: Refusal | null, retryAfter?: number): ApiError {
  const reason = textOf(refusal?.code) ?? textOf(refusal?.error);
  const message = textOf(refusal?.message) ?? textOf(refusal?.error_description);
  const code = CODES_OF_REASONS[reason ?? ''] ?? CODES_BY_STATUS[status] ?? CODES.invalid;
  const data: ErrorData = {
    ...(reason !== undefined && { reason }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  return new ApiError(code, message, {
    // better-auth's clients depend on it.
    status,
    ...(Object.keys(data).length > 0 && { data }),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The envelope, with `code` and `message` next to it, where better-auth's clients look for them. */
export function accountFailure(error: ApiError): Failure & { code?: string; message: string } {
  const { reason } = error.data ?? {};
  return { ...failureOf(error), ...(typeof reason === 'string' && { code: reason }), message: error.message };
}

export type OAuthFailure = {
  error: string;
  error_description: string;
  success: false;
  code: ErrorCode;
  message: string;
};

/** RFC 6749, section 5.2, defines `error` as a string, so the members of our error are next to it. */
export function oauthFailure(error: ApiError): OAuthFailure {
  const { code, message, data, status } = error;
  const word = typeof data?.reason === 'string' && /^[a-z_]+$/.test(data.reason) ? data.reason : undefined;
  const fallback = status >= 500 ? 'server_error' : status === 429 ? 'temporarily_unavailable' : 'invalid_request';
  return { error: word ?? fallback, error_description: message, success: false, code, message };
}
