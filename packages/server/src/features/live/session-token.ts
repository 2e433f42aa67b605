// Finds the token of a session in the cookies of a request, whose signature was checked before.

/** Empty without a session. The cookie has the token and its signature, separated by a dot. */
export function sessionTokenOf(cookies: string, name: string): string {
  const start = `${name}=`;
  const cookie = cookies.split('; ').find((each) => each.startsWith(start)) ?? start;
  const value = cookie.slice(start.length);
  // The token has no characters that are escaped; the signature has.
  return value.split(/\.|%2E/i)[0] ?? '';
}
