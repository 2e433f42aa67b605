// The state of the installation for its operator: whether each part is ready for production, and tests of the parts.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/setup';
import { ADDRESS_TEST_BYTES } from '@chauffeur/contract/operations/setup';
import type { AccountCaller, Context } from '../../context.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { BodyTooLargeError, receiveBody, UnreadableBodyError } from '../../request/body.ts';
import { answer, type StreamCall } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { settingsNamed } from '../operator/operator.ts';
import { type Check, countProxies } from './checks.ts';
import { testEmail } from './email-test.ts';
import { checkBody, checkProxies, checkPublicUrl, judgeParts } from './judge-settings.ts';
import { testScanner } from './scanner-test.ts';
import { testStorage } from './storage-test.ts';

/** A test costs as much as a few uploads. */
const TEST_LIMIT = { name: 'set-up tests', scope: 'account', max: 100, windowSeconds: 3600 } as const;

export const getInstallation = stream(contract.getInstallation, async (ctx, { request }) => {
  const { config, publicUrl, blobs } = ctx;
  const proxies = countProxies(request.headers);
  const parts = judgeParts({ config, publicUrl, proxies, storage: blobs.settings });
  return answer(200, {
    parts: parts.map(({ variables, ...part }) => ({ ...part, settings: settingsNamed(ctx, variables) })),
  });
});

/** Throws `limitReached`. */
export const testPart = handle(contract.testPart, async (ctx, { caller, input: { part } }) => {
  await countTest(ctx, caller);
  return { checks: await TESTS[part](ctx, caller) };
});

const TESTS = {
  mail: (ctx, { user }) => testEmail(ctx, user.email),
  scanner: testScanner,
  storage: testStorage,
} satisfies Record<string, (ctx: Context, caller: AccountCaller) => Promise<Check[]>>;

/** Throws `limitReached`. */
export function countTest(ctx: Context, { user }: AccountCaller): Promise<void> {
  return countUse(ctx, ctx.db, user.id, TEST_LIMIT);
}

/**
 * Tests the way from a browser to the server, with the request that the browser sends for it. Throws `limitReached`,
 * `tooLarge` for a body that is too large, and `invalid` for one that breaks off.
 */
export const testAddress = stream(contract.testAddress, async (ctx, { caller, input: { nonce }, request }) => {
  await countTest(ctx, caller);
  const { publicUrl, config } = ctx;
  const received = await countBytes(ctx, request.raw);
  const facts = { trustProxy: config.trustProxy, proxies: countProxies(request.headers) };
  return answer(200, {
    nonce,
    received_bytes: received,
    checks: [checkPublicUrl({ publicUrl }), checkProxies(facts), checkBody(received, ADDRESS_TEST_BYTES)],
  });
});

async function countBytes(
  { config }: Context,
  request: StreamCall<typeof contract.testAddress>['request']['raw'],
): Promise<number> {
  const options = { maxBytes: ADDRESS_TEST_BYTES, idleMs: config.uploadIdleSeconds * 1000, encoding: 'none' } as const;
  try {
    return await receiveBody(request, options, async (body) => {
      let received = 0;
      for await (const bytes of body) received += bytes.length;
      return received;
    });
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw errors.tooLarge(`Send at most ${ADDRESS_TEST_BYTES} bytes.`);
    if (error instanceof UnreadableBodyError) throw errors.invalid(error.message, { cause: error });
    throw error;
  }
}
