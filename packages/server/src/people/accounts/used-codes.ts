// Accepts each code of an authenticator app once. better-auth accepts a code as long as it is current, but RFC 6238,
// section 5.2, and NIST SP 800-63B, section 3.1.4.1, require more.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';
import type { Db } from '../../kernel/database/db.ts';
import { readTotp, useStep } from './second-factors.sql.ts';

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** The route that checks codes. */
export const CODE_ROUTE = '/two-factor/verify-totp';
/** The name of the cookie of a sign-in that waits for a second factor. */
const WAITING_COOKIE = 'two_factor';

/** Refuses a used code before better-auth checks it, so that the sign-in goes on waiting for the next one. */
export function usedCodes(db: Db): BetterAuthPlugin {
  const refuseUsed = async (request: HookContext) => {
    const userId = await findAccount(request);
    const { step = null, lastUsed = null } = (userId && (await findUse(db, userId, request))) || {};
    if (step !== null && lastUsed !== null && step <= lastUsed) throw usedError();
  };
  return {
    id: 'chauffeur-used-codes',
    hooks: { before: [{ matcher: ({ path }) => path === CODE_ROUTE, handler: createAuthMiddleware(refuseUsed) }] },
  };
}

/** What is needed of a request to know its code. */
export type CodeRequest = Pick<HookContext, 'body'> & {
  readonly context: Pick<HookContext['context'], 'secretConfig'>;
};

/** Called once better-auth has accepted the code, before the session is stored. Of requests that race, one passes. */
export async function useCode(db: Db, userId: string, request: CodeRequest): Promise<void> {
  const { step = null } = (await findUse(db, userId, request)) ?? {};
  if (step === null || !(await useStep(db, userId, step))) throw usedError();
}

function usedError(): APIError {
  const message = 'This code was already used. Wait for the next one.';
  return new APIError('UNAUTHORIZED', { code: 'CODE_USED', message });
}

/** The time step of the sent code, null if it is wrong, and the newest one that was used. */
async function findUse(db: Db, userId: string, { body, context }: CodeRequest) {
  const app = await readTotp(db, userId);
  if (app === undefined || typeof body?.code !== 'string') return undefined;
  const secret = await symmetricDecrypt({ key: context.secretConfig, data: app.secret });
  return { step: findStep(secret, body.code, Date.now()), lastUsed: app.last_used_step };
}

/** The account whose code is checked: of the session, or of the sign-in that waits for a code. */
async function findAccount(request: HookContext): Promise<string | undefined> {
  const current = await getSessionFromCtx(request);
  if (current !== null) return current.user.id;
  const { name } = request.context.createAuthCookie(WAITING_COOKIE);
  const waiting = await request.getSignedCookie(name, request.context.secret);
  if (typeof waiting !== 'string') return undefined;
  return (await request.context.internalAdapter.findVerificationValue(waiting))?.value;
}

/** The steps are those of the plugin for second factors: codes of six digits that change every 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** The plugin accepts the previous and the next code, too, because clocks differ. */
const ACCEPTED_STEPS = [0, -1, 1];

/**
 * The step of a code that is valid at a time in milliseconds; null if it isn't. `secret` is the text in the database.
 */
export function findStep(secret: string, code: string, now: number): number | null {
  const current = Math.floor(now / STEP_MS);
  const sent = Buffer.from(code);
  const isCodeOf = (step: number) => {
    const expected = Buffer.from(codeOfStep(secret, step));
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  };
  return ACCEPTED_STEPS.map((offset) => current + offset).find(isCodeOf) ?? null;
}

/** RFC 4226, section 5.3, with the step as its counter. */
export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 0xf) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}
