import * as contract from '@chauffeur/contract/operations/setup';
import type { AccountCaller, Context } from '../../context.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { settingsNamed } from '../operator/operator.ts';
import type { Check } from './checks.ts';
import { testEmail } from './email-test.ts';
import { countProxies } from './forwarded.ts';
import { judgeParts } from './parts.ts';
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
