// Signs in a command as a person would, over the API.
import { callApi } from './api-calls.ts';
import { type ApiResponse, request, type TestServer } from './server.ts';

export type Started = { device_code: string; user_code: string; verification_url: string; interval: number };
export type Login = {
  key: string;
  key_ref: string;
  user: string;
  game: { game_uid: string; slug: string; name: string } | null;
};

export async function startLogin(
  server: TestServer,
  reported: object = { host: 'workstation', os: 'Linux' },
): Promise<Started> {
  const response = await callApi(server, {}, 'POST', '/public/cli/logins', reported);
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

export async function pollLogin(
  server: Pick<TestServer, 'api'>,
  { device_code }: Pick<Started, 'device_code'>,
): Promise<{ status: string; interval: number; login: Login | null }> {
  return (await callApi(server, {}, 'POST', '/public/cli/logins/token', { device_code })).body.data;
}

export function decideLogin(
  server: Pick<TestServer, 'api'>,
  headers: object,
  userCode: string,
  decision: object = { approve: true },
): Promise<ApiResponse> {
  return callApi(server, headers, 'POST', `/account/cli-login-requests/${userCode}`, decision);
}

/** Starts a login, approves it as the person and collects its key. */
export async function signInCommand(
  server: TestServer,
  person: object,
  { game }: { game?: string } = {},
): Promise<Login> {
  const started = await startLogin(server);
  const approved = await decideLogin(server, person, started.user_code, { approve: true, ...(game && { game }) });
  const { login } = await pollLogin(server, started);
  if (login === null) throw new Error(JSON.stringify(approved.body));
  return login;
}

/** Calls a route of deploy tools with the key of a login. */
export function useLogin(
  server: TestServer,
  key: string,
  { game, path = '/tool/info' }: { game?: string; path?: string } = {},
): Promise<ApiResponse> {
  return request(`${server.api}${path}`, { headers: loginHeaders(key, game) });
}

export function loginHeaders(key: string, game?: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...(game !== undefined && { 'x-app-id': game }) };
}
