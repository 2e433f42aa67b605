// Signing in a command: it starts, a person decides on the website, and the command collects its key once.

// cspell:ignore BCDF GHJK BCDFGHJKLMNPQRSTVWXZ
import { randomInt } from 'node:crypto';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/cli';
import { CLI_KEY_PREFIX } from '@chauffeur/contract/operations/cli';
import { PAGES } from '@chauffeur/contract/pages';
import type { AccountCaller, Context } from '../../context.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { isMissingReference, isUniqueViolation, type Tx, transact } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { hashSecret, newId, newSecret } from '../../kernel/secrets/ids.ts';
import { countPublicPost, networkOf } from '../../request/address-limit.ts';
import { requestAddress } from '../../request/audit.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { requireMember } from '../game-access/game-access.ts';
import { countCliLogins, timesOf } from './cli-logins.ts';
import * as logins from './logins.sql.ts';
import * as requests from './requests.sql.ts';

type PollResult = OutputOf<typeof contract.pollCliLogin>;

/** 48 characters of 5.8 bits are 279 bits, and 32 are 186 bits. */
const KEY_LENGTH = 48;
const DEVICE_CODE_LENGTH = 32;
const REF_LENGTH = 6;
const EXPIRES_SECONDS = 600;
const POLL_SECONDS = 5;
/** Added to the interval when a command polls too soon (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;
/** Requests may arrive closer together than they were sent. */
const POLL_TOLERANCE_MS = 1000;
/** Codes that a person may look up or decide about. It makes guessing the code of someone else hopeless. */
const CODE_LIMIT = { name: 'login codes', scope: 'account', max: 60, windowSeconds: 3600 } as const;

export const startCliLogin = handle(
  contract.startCliLogin,
  async (ctx, { input }) => {
    const now = ctx.clock.now();
    const deviceCode = newSecret(DEVICE_CODE_LENGTH);
    const userCode = await insertWithCode(ctx, {
      requestId: newId(now.getTime()),
      deviceHash: hashSecret(deviceCode),
      ...nameMachine(input),
      address: requestAddress(),
      createdAt: now,
      expiresAt: new Date(now.getTime() + EXPIRES_SECONDS * 1000),
      pollSeconds: POLL_SECONDS,
    });
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_url: `${ctx.publicUrl}${PAGES.cliLogin}?code=${userCode}`,
      expires_in: EXPIRES_SECONDS,
      interval: POLL_SECONDS,
    };
  },
  countPublicPost,
);

const MAX_WORD_LENGTH = 20;

/**
 * Reduces what a program reports about its machine to one name, and two words for its OS, so that neither can be a
 * message or an address to the person who decides.
 */
function nameMachine({ host, os }: { host: string; os: string }): { host: string; os: string } {
  const words = os.split(' ').map((word) => nameOf(word).slice(0, MAX_WORD_LENGTH));
  return { host: nameOf(host) || UNKNOWN, os: words.slice(0, 2).join(' ').trim() || UNKNOWN };
}

const UNKNOWN = 'unknown';

function nameOf(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '');
}

/** Returns the code. Another request can have the same one, though rarely. */
async function insertWithCode(ctx: Context, request: Omit<requests.NewRequest, 'userCodeHash'>): Promise<string> {
  for (;;) {
    const userCode = newUserCode();
    try {
      await requests.insertRequest(ctx.db, { ...request, userCodeHash: hashSecret(userCode) });
      return userCode;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

/** Throws `notFound`, and `limitReached`. */
export const getCliLoginRequest = stream(
  contract.getCliLoginRequest,
  async (ctx, { caller, input, request: { ip } }) => {
    const userCode = await readCode(ctx, caller, input.user_code);
    const pending = await requests.findPendingLogin(ctx.db, hashSecret(userCode), ctx.clock.now());
    if (pending === undefined) throw unknownCode();
    const { host, os, address, created_at, expires_at } = pending;
    return answer(200, {
      user_code: userCode,
      host,
      os,
      address,
      is_same_network: address !== null && networkOf(address) === networkOf(ip),
      created_at: created_at.toISOString(),
      expires_at: expires_at.toISOString(),
    });
  },
);

/** Throws `notFound`, `limitReached`, and `invalid` for one login too many. */
export const decideCliLogin = handle(
  contract.decideCliLogin,
  async (ctx, { caller, input: { user_code, approve, game: ref } }) => {
    const userCode = await readCode(ctx, caller, user_code);
    const gameId = approve && ref !== undefined ? (await requireMember(ctx, caller, ref)).game.game_id : null;
    const now = ctx.clock.now();
    const userId = caller.user.id;
    if (approve && (await countCliLogins(ctx.db, userId, now)) >= LIMITS.cliLogins) throw tooManyLogins();
    const collectUntil = new Date(now.getTime() + MINUTE);
    const { signInMethod } = caller;
    const decision = { approved: approve, userId, gameId, signInMethod, now, collectUntil };
    try {
      if (!(await requests.decideLogin(ctx.db, hashSecret(userCode), decision))) throw unknownCode();
    } catch (error) {
      // The account or the game was deleted in the meantime.
      if (isMissingReference(error)) throw errors.notSignedIn(undefined, { cause: error });
      throw error;
    }
    return { approved: approve };
  },
);

async function readCode(ctx: Context, { user }: AccountCaller, code: string): Promise<string> {
  await countUse(ctx, ctx.db, user.id, CODE_LIMIT);
  return canonicalUserCode(code);
}

function unknownCode(): ApiError {
  return errors.notFound('This code is unknown, expired or already used. Run chauffeur login again for a new code.');
}

function tooManyLogins(): ApiError {
  return errors.invalid(`You have ${LIMITS.cliLogins} active logins, which is the limit. Revoke one first.`);
}

/**
 * Locks the request, so that of concurrent polls only one gets the key. The key is created now and stored as a hash.
 */
export const pollCliLogin = handle(
  contract.pollCliLogin,
  async (ctx, { input }) => {
    try {
      return await transact(ctx.db, (tx) => pollWithin(ctx, tx, hashSecret(input.device_code)));
    } catch (error) {
      // The account or the game was deleted in the meantime.
      if (isMissingReference(error)) return answerOf('expired');
      throw error;
    }
  },
  countPublicPost,
);

function answerOf(status: PollResult['status'], more: Partial<PollResult> = {}): PollResult {
  return { status, interval: POLL_SECONDS, login: null, ...more };
}

async function pollWithin(ctx: Context, tx: Tx, deviceHash: Buffer): Promise<PollResult> {
  const now = ctx.clock.now();
  const request = await requests.lockRequest(tx, deviceHash);
  if (request === undefined || request.expires_at <= now) return answerOf('expired');
  const { request_id: requestId, approved, user_id: userId } = request;
  if (approved === null || userId === null) return notePoll(tx, request, now);
  await requests.deleteRequest(tx, requestId);
  if (!approved) return answerOf('denied');
  await logins.lockLogins(tx, userId);
  if ((await logins.countLogins(tx, userId, timesOf(now))) >= LIMITS.cliLogins) return answerOf('denied');
  const login = await createLogin(tx, request, userId, now);
  return login === null ? answerOf('expired') : answerOf('approved', { login });
}

async function notePoll(tx: Tx, request: requests.RequestRow, now: Date): Promise<PollResult> {
  const { polled_at: polledAt, poll_seconds: pollSeconds } = request;
  const isEarly = polledAt !== null && now.getTime() - polledAt.getTime() < pollSeconds * 1000 - POLL_TOLERANCE_MS;
  const interval = isEarly ? pollSeconds + SLOW_DOWN_SECONDS : pollSeconds;
  await requests.recordPoll(tx, request.request_id, now, interval);
  return answerOf(isEarly ? 'slow_down' : 'pending', { interval });
}

/** Null if the account or the game was deleted. */
async function createLogin(
  tx: Tx,
  { host, os, game_id: gameId, sign_in_method: signInMethod }: requests.RequestRow,
  userId: string,
  now: Date,
): Promise<PollResult['login']> {
  const description = await logins.describeLogin(tx, userId, gameId);
  if (description === undefined || (gameId !== null && description.game === null)) return null;
  const key = `${CLI_KEY_PREFIX}${newSecret(KEY_LENGTH)}`;
  const keyRef = key.slice(0, CLI_KEY_PREFIX.length + REF_LENGTH);
  const loginId = newId(now.getTime());
  const login = { loginId, userId, keyRef, keyHash: hashSecret(key), host, os, gameId, signInMethod, now };
  await logins.insertLogin(tx, login);
  return { key, key_ref: keyRef, ...description };
}

/** Letters without vowels, which form no words and are hard to confuse (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** Returns a random code such as `BCDF-GHJK`, with 34 bits. */
export function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return canonicalUserCode(letters);
}

/** The form in which codes are shown and hashed, for a code in any letter case, with or without the hyphen. */
export function canonicalUserCode(code: string): string {
  const letters = code.replace('-', '').toUpperCase();
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
