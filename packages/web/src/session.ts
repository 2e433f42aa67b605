// The signed-in person, and how the server's account routes are called. The calls themselves are in `account-calls.ts`.
import { NetworkError } from '@chauffeur/contract/client';
import type { Failure } from '@chauffeur/contract/envelope';
import { ApiError, CODES } from '@chauffeur/contract/errors';
import { queryOptions } from '@tanstack/react-query';
import { t } from './texts.tsx';

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Whether the person may open /operator. */
  readonly operator?: boolean | null;
};

/** An error of the browser or of the device with the passkey. Both texts are in the language of the page. */
export class PasskeyError extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string, cause: unknown) {
    super(message, { cause });
    this.remedy = remedy;
  }
}

/** An error of the account routes whose message is in the language of the page. */
export class AccountError extends ApiError {}

/** The signed-in person; null for visitors. */
export const session = queryOptions({
  queryKey: ['session'] as const,
  queryFn: async ({ signal }): Promise<Person | null> => {
    const current = await request<{ user: Person } | null>('GET', 'get-session', undefined, signal);
    return current?.user ?? null;
  },
  staleTime: 60_000,
});

export function signOut(): Promise<unknown> {
  return request('POST', 'sign-out', {});
}

/** Calls an account route. Throws ApiError or NetworkError. */
export async function request<T>(
  method: 'GET' | 'POST',
  route: string,
  body?: object,
  signal?: AbortSignal,
): Promise<T> {
  const response = await requireOk(await sendToAuth(method, `/api/auth/${route}`, body, signal));
  return (await response.json().catch(() => null)) as T;
}

export function sendToAuth(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((cause: Error) => {
    // Browsers throw a TypeError if there was no response. Other errors are those of the signal.
    throw cause.name === 'TypeError' ? new NetworkError(cause.message, { cause }) : cause;
  });
}

/** Throws ApiError if the response is an error. */
export async function requireOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  const result: unknown = await response.json().catch(() => null);
  const { error, data } = (result ?? {}) as Partial<Failure>;
  const requestId = response.headers.get('x-request-id');
  const message = messageOf(error?.data?.reason);
  const Thrown = message === undefined ? ApiError : AccountError;
  throw new Thrown(error?.code ?? CODES.unexpected, message ?? error?.message ?? t('error.failed'), {
    status: response.status,
    ...(data !== undefined && { data }),
    ...(requestId !== null && { requestId }),
  });
}

/** What to show for each reason of the account routes. */
const REASONS = [
  ...(['INVALID_EMAIL_OR_PASSWORD', 'PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'INVALID_EMAIL'] as const),
  ...(['INVALID_PASSWORD', 'SECOND_FACTOR_REQUIRED', 'OWNS_GAMES', 'other_session', 'invalid_signature'] as const),
  ...(['ACCOUNT_DISABLED', 'SESSION_NOT_FRESH', 'INVALID_CODE', 'CODE_USED', 'INVALID_BACKUP_CODE'] as const),
  ...(['INVALID_TWO_FACTOR_COOKIE', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE', 'ACCOUNT_TEMPORARILY_LOCKED'] as const),
  ...(['PASSKEY_NOT_FOUND', 'AUTHENTICATION_FAILED', 'CHALLENGE_NOT_FOUND', 'INVALID_TOKEN'] as const),
];

function messageOf(value: unknown): string | undefined {
  const reason = REASONS.find((each) => each === value);
  return reason === undefined ? undefined : t(`error.account.${reason}`);
}
