// Whether a client asks for JSON where browsers get a page. Most clients that aren't browsers accept any type, and get a
// page as browsers do.
import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

export function prefersJson(headers: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers }).mediaType(['text/html', 'application/json']) === 'application/json';
}
