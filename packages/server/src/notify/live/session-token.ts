// Finds the token of a session in the cookies of a request, which was checked before.

/** Empty without a session. Cookies of earlier versions have a signature after the token, behind a dot. */
export function sessionTokenOf(cookies: string, name: string): string {
  const start = `${name}=`;
  const cookie = cookies.split('; ').find((each) => each.startsWith(start)) ?? start;
  const value = cookie.slice(start.length);
  // The token has no characters that are escaped; the signature has.
  return value.split(/\.|%2E/i)[0] ?? '';
}
