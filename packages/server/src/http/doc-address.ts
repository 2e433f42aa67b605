// Puts the address of this server into the examples of the documentation, so that copied commands work here.

const PLACEHOLDER = 'games.example.com';

/** Addresses, also with a user as in the URLs of Sentry's clients; hosts with a port; and hosts alone. */
const PATTERN = new RegExp(
  `(?:https://(?<user>[^\\s/@"'<>]*@)?)?(?<![\\w.-])${PLACEHOLDER.replaceAll('.', '\\.')}(?<port>:443)?(?![\\w-])`,
  'g',
);

/** `publicUrl` has no slash at its end. */
export function placeAddress(text: string, publicUrl: string): string {
  const { protocol, host, hostname, port } = new URL(publicUrl);
  const openPort = port || (protocol === 'https:' ? '443' : '80');
  return text.replace(PATTERN, (match, ...groups) => {
    const { user = '', port: namedPort } = groups.at(-1) as { user?: string; port?: string };
    if (match.startsWith('https://')) return user === '' ? publicUrl : publicUrl.replace('://', `://${user}`);
    return namedPort === undefined ? host : `${hostname}:${openPort}`;
  });
}
