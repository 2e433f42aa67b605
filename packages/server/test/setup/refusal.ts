// The refusal of an upload: the code it must have, and nothing that it may leave.
import assert from 'node:assert/strict';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { assertNothingLeft } from './leftovers.ts';
import type { RawAnswer } from './raw.ts';
import type { Answer, TestGame, TestServer } from './server.ts';

/** Fails unless `answer` is the refusal `code` and says `message`, and nothing of the game's uploads is kept. */
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
