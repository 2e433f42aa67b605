// Finds the token of a session in the cookies of a request, whose signature was checked before.

const COOKIE = /(?:^|; )(?:__Secure-)?chauffeur\.session_token=([^;]+)/;

/** Empty without a session. The cookie has the token and its signature, separated by a dot. */
export function sessionTokenOf(cookies: string): string {
  const [, value = ''] = COOKIE.exec(cookies) ?? [];
  // The token has no characters that are escaped; the signature has.
  return value.split(/\.|%2E/i)[0] ?? '';
}
