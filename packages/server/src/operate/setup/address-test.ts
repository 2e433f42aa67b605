// Tests the way from a browser to the server, with the request that the browser sends for it.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/setup';
import { ADDRESS_TEST_BYTES } from '@chauffeur/contract/operations/setup';
import type { Context } from '../../context.ts';
import { BodyTooLargeError, receiveBody, UnreadableBodyError } from '../../request/body.ts';
import { answer, type StreamCall } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { checkBody, checkProxies, checkPublicUrl } from './address-check.ts';
import { countProxies } from './forwarded.ts';
import { countTest } from './installation.ts';

/** Throws 4290, 4043 for a body that is too large, and 4002 for one that breaks off. */
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
