// API tokens for tests.
import { TOKEN_SCOPES } from '@chauffeur/contract/token-scopes';
import { callApi } from './api-calls.ts';
import type { Api } from './server.ts';

export type Token = { token: string; token_id: string; token_ref: string; expires_at: string };
export type Wish = {
  name?: string;
  scopes?: readonly string[];
  games?: readonly string[] | null;
  expires_in_days?: number;
};

/** Creates a token with all scopes, or as wished, for the person whose session cookie is in `headers`. */
export async function createToken(server: Api, headers: object, wish: Wish = {}): Promise<Token> {
  const body = { name: 'Report script', scopes: TOKEN_SCOPES, games: null, ...wish };
  const { status, body: answer } = await callApi(server, headers, 'POST', '/account/api-tokens', body);
  if (status !== 201) throw new Error(`creating a token returned ${status}: ${JSON.stringify(answer)}`);
  return answer.data;
}

export const bearer = ({ token }: Pick<Token, 'token'>) => ({ authorization: `Bearer ${token}` });
