// Asserts that an upload was refused with an error code and left nothing behind.
import assert from 'node:assert/strict';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { assertNothingLeft } from './leftovers.ts';
import type { RawAnswer } from './raw.ts';
import type { Answer, TestGame, TestServer } from './server.ts';

/**
 * Fails unless the response has the error `code` and a matching message, and no data of the game's uploads is stored.
 */
export async function assertRefused(
  server: TestServer,
  game: TestGame,
  answer: Answer | RawAnswer,
  code: ErrorCode,
  message: RegExp,
): Promise<void> {
  const error = answer?.body?.error;
  assert.deepEqual([answer?.status, error?.code], [ERRORS[code].status, code], `${message} ${error?.message}`);
  assert.match(error?.message ?? '', message);
  await assertNothingLeft(server, game);
}
