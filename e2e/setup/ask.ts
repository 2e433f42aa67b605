// Calls the API as a signed-in person.
import type { Service } from './processes.ts';

/** Sends a request to a path in `/api/v1` and returns its `data`. Throws if it is rejected. */
export type Ask = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

/** `headers` are those of a session. */
export function askAs(service: Service, headers: Record<string, string>): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${service.api}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`);
    return JSON.parse(text).data;
  };
}
