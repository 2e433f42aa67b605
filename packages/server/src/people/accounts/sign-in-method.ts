// How a session was started.
import { asSignInMethod, type SignInMethod } from '@chauffeur/contract/required-sign-in';

/** Routes of better-auth that start a session, with what they prove. */
const BY_ROUTE: Readonly<Record<string, SignInMethod>> = {
  '/sign-in/email': 'password',
  '/verify-email': 'email',
  '/two-factor/verify-totp': 'second_factor',
  '/two-factor/verify-backup-code': 'second_factor',
  '/passkey/verify-authentication': 'passkey',
  '/callback/:id': 'sso',
};

/** Whether a session that starts at this route is a sign-in, and not the continuation of another session. */
export function isSignInRoute(route: string): boolean {
  return BY_ROUTE[route] !== undefined;
}

/** The method of a session that starts at `route`. A session that replaces another one continues its method. */
export function methodOf(route: string | undefined, replaced: unknown): SignInMethod | null {
  return BY_ROUTE[route ?? ''] ?? asSignInMethod(replaced);
}
