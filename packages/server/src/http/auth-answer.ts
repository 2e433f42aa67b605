// Converts an error of better-auth into this service's envelope, or into what OAuth clients expect.
import { type Failure, failureOf } from '@chauffeur/contract/envelope';
import { ApiError, type ErrorCode, type ErrorData } from '@chauffeur/contract/errors';

/** An error of better-auth: with `code` from its own routes, with `error` from its OAuth routes. */
type Refusal = { code?: unknown; message?: unknown; error?: unknown; error_description?: unknown };

/** Our codes for codes of better-auth. For others, the status decides. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  INVALID_EMAIL_OR_PASSWORD: 4012,
  OWNS_GAMES: 4093,
  SECOND_FACTOR_REQUIRED: 4097,
  ACCOUNT_DISABLED: 4013,
  SESSION_NOT_FRESH: 4014,
  INVALID_CODE: 4015,
  CODE_USED: 4015,
  INVALID_BACKUP_CODE: 4015,
  INVALID_TWO_FACTOR_COOKIE: 4016,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 4016,
  ACCOUNT_TEMPORARILY_LOCKED: 4290,
  PASSKEY_NOT_FOUND: 4017,
  AUTHENTICATION_FAILED: 4017,
  CHALLENGE_NOT_FOUND: 4017,
  USER_NOT_VERIFIED: 4017,
  INVALID_ORIGIN: 4032,
  MISSING_OR_NULL_ORIGIN: 4032,
  CROSS_SITE_NAVIGATION_LOGIN_BLOCKED: 4032,
};

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = { 401: 4011, 404: 4040, 429: 4290, 503: 5030 };

/** Returns the error with a code of the registry. `reason` keeps better-auth's own word for it. */
export function errorOf(status: number, refusal: Refusal | null, retryAfter?: number): ApiError {
  const reason = textOf(refusal?.code) ?? textOf(refusal?.error);
  const message = textOf(refusal?.message) ?? textOf(refusal?.error_description);
  const code = CODES[reason ?? ''] ?? CODES_BY_STATUS[status] ?? 4002;
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
