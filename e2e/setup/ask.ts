// The API as a person who is signed in uses it.
import type { Service } from './processes.ts';

/** One request below `/api/v1`; answers the `data`, and fails when it is refused. */
export type Ask = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

/** `headers` are those of `signIn`. */
export function askAs(service: Service, headers: Record<string, string>): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${service.api}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text).data;
  };
}
