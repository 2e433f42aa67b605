// The parts of the installation for operators: whether each is ready for production, and tests of each.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/setup';
import type { AccountCaller, Context } from '../../context.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { type Answer, answer } from '../../request/answer.ts';
import type { Call, StreamCall } from '../../request/call.ts';
import { settingsNamed } from '../operator/operator.ts';
import type { Check } from './checks.ts';
import { countProxies } from './forwarded.ts';
import { testMail } from './mail-test.ts';
import { judgeParts } from './parts.ts';
import { testScanner } from './scanner-test.ts';
import { testStorage } from './storage-test.ts';

/** A test costs as much as a few uploads. */
const TEST_LIMIT = { name: 'set-up tests', scope: 'account', max: 100, windowSeconds: 3600 } as const;

export async function getInstallation(
  ctx: Context,
  { request }: StreamCall<typeof contract.getInstallation>,
): Promise<Answer<OutputOf<typeof contract.getInstallation>>> {
  const { config, publicUrl, blobs } = ctx;
  const proxies = countProxies(request.headers);
  const parts = judgeParts({ config, publicUrl, proxies, storage: blobs.settings });
  return answer(200, {
    parts: parts.map(({ variables, ...part }) => ({ ...part, settings: settingsNamed(ctx, variables) })),
  });
}

/** Throws 4290. */
export async function testPart(
  ctx: Context,
  { caller, input: { part } }: Call<typeof contract.testPart>,
): Promise<OutputOf<typeof contract.testPart>> {
  await countTest(ctx, caller);
  return { checks: await TESTS[part](ctx, caller) };
}

const TESTS = {
  mail: (ctx, { user }) => testMail(ctx, user.email),
  scanner: testScanner,
  storage: testStorage,
} satisfies Record<string, (ctx: Context, caller: AccountCaller) => Promise<Check[]>>;

/** Throws 4290. */
export function countTest(ctx: Context, { user }: AccountCaller): Promise<void> {
  return countUse(ctx, ctx.db, user.id, TEST_LIMIT);
}
