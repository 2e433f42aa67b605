// Calls the JSON API with a session, and returns what tests compare.
import { type ApiResponse, makeGame, request, signIn, type TestGame, type TestServer } from './server.ts';

export type Session = { cookie: string };
export type OwnedGame = { game: TestGame; owner: Session };

/** Creates a game whose owner is signed in. */
export async function makeOwnedGame(
  server: TestServer,
  options: Parameters<typeof makeGame>[1] = {},
): Promise<OwnedGame> {
  const game = await makeGame(server, options);
  return { game, owner: await signIn(server, game.owner) };
}

/** Calls a route; `path` is relative to `/api/v1`. A body is sent as JSON. */
export function callApi(
  server: Pick<TestServer, 'api'>,
  headers: object,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse> {
  const json = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const init = body === undefined ? { headers: { ...headers } } : json;
  return request(`${server.api}${path}`, { method, ...init });
}

/** The HTTP status and the error code, which is undefined after a success. */
export function statusOf({ status, body }: ApiResponse): [status: number, code: number | undefined] {
  return [status, body.error?.code];
}

/** Sends a request to a path in `/api/v1` and returns its `data`. Throws if it is rejected. */
export type Ask = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

/** `headers` are those of a session or a key. */
export function askAs(server: Pick<TestServer, 'api'>, headers: object): Ask {
  return async (method, path, body) => {
    const answer = await callApi(server, headers, method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
}
