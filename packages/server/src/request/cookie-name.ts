// Names the cookies of the service.

/**
 * The name of a cookie. Over HTTPS, its prefix makes browsers accept it only from this host, for all paths (RFC
 * 6265bis, section 4.1.3.2). Otherwise another host of the same domain, such as one where games are played, could set
 * it, and sign visitors in to its own account.
 */
export function cookieName(publicUrl: string, name: string): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}chauffeur.${name}`;
}
