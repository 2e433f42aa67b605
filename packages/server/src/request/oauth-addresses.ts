// The addresses of the OAuth server and of the resource that it protects.

/** The address that access tokens are issued for (RFC 8707). */
export function agentResource(publicUrl: string): string {
  return `${publicUrl}/mcp`;
}

/** The issuer of access tokens. */
export function oauthIssuer(publicUrl: string): string {
  return `${publicUrl}/api/auth`;
}

/**
 * OAuth requires HTTPS, except on a loopback address (RFC 8252, section 8.3). A service without it offers agents
 * personal keys only.
 */
export function offersOAuth(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
