// Asserts that an upload was refused with an error code and left nothing behind.
import assert from 'node:assert/strict';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { assertNothingLeft } from './leftovers.ts';
import type { RawResponse } from './raw.ts';
import type { ApiResponse, TestGame, TestServer } from './server.ts';

/**
 * Fails unless the response has the error `code` and a matching message, and no data of the game's uploads is stored.
 */
export async function assertRefused(
  server: TestServer,
  game: TestGame,
  response: ApiResponse | RawResponse,
  code: ErrorCode,
  message: RegExp,
): Promise<void> {
  const error = response?.body?.error;
  assert.deepEqual([response?.status, error?.code], [ERRORS[code].status, code], `${message} ${error?.message}`);
  assert.match(error?.message ?? '', message);
  await assertNothingLeft(server, game);
}
