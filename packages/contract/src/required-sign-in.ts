// What an organisation can require of how people sign in who have access to it.

export const SIGN_IN_REQUIREMENTS = ['second_factor', 'single_sign_on'] as const;

export type SignInRequirement = (typeof SIGN_IN_REQUIREMENTS)[number];

/** How a session was started: what the person proved. */
export const SIGN_IN_METHODS = ['password', 'email', 'second_factor', 'trusted_browser', 'passkey', 'sso'] as const;

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Null for sessions from before methods were recorded. */
export function asSignInMethod(value: unknown): SignInMethod | null {
  return SIGN_IN_METHODS.find((method) => method === value) ?? null;
}

const METHODS: Readonly<Record<SignInRequirement, readonly SignInMethod[]>> = {
  // A trusted browser was used with a code at most 30 days ago.
  second_factor: ['second_factor', 'trusted_browser', 'passkey'],
  single_sign_on: ['sso'],
};

/** What is known about a person and a session of theirs, or the session in which they created a program's credential. */
export type SignInProof = {
  /** Null for sessions from before methods were recorded. */
  readonly method: SignInMethod | null;
  /** Whether the account has an authenticator app or a passkey now. */
  readonly hasSecondFactor: boolean;
};

/** Whether the session meets the requirement. A second factor that was removed since then no longer counts. */
export function meetsRequirement(
  required: SignInRequirement | null,
  { method, hasSecondFactor }: SignInProof,
): boolean {
  if (required === null) return true;
  if (method === null || !METHODS[required].includes(method)) return false;
  return required === 'single_sign_on' || hasSecondFactor;
}
