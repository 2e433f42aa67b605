// Calls the API as a signed-in person.
import type { Service } from './processes.ts';

/** Sends a request to a path in `/api/v1` and returns its `data`. Throws if it is rejected. */
export type Ask = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

/** `headers` are those of a session. */
export function askAs(service: Pick<Service, 'api'>, headers: Record<string, string>): Ask {
  return async (method, path, body) => {
    const response = await fetch(`${service.api}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text).data;
  };
}
