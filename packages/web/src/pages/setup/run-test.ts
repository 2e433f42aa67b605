// Runs the test of a part. The address is tested from here, because only a browser knows how people reach the server.
import type { OutputOf } from '@chauffeur/contract/operation';
import { ADDRESS_TEST_BYTES, TESTED_PARTS, testAddress, testPart } from '@chauffeur/contract/operations/setup';
import { call, send } from '../../api.ts';

export type Check = OutputOf<typeof testAddress>['checks'][number];
export type TestedPart = 'address' | (typeof TESTED_PARTS)[number];

export function isTested(part: string): part is TestedPart {
  return ['address', ...TESTED_PARTS].includes(part);
}

/** Rejects with ApiError or NetworkError if the test itself could not run. */
export async function runTest(part: TestedPart): Promise<readonly Check[]> {
  return part === 'address' ? runAddressTest() : (await call(testPart, { part })).checks;
}

async function runAddressTest(): Promise<readonly Check[]> {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const response = await send(testAddress, { nonce }, new Uint8Array(ADDRESS_TEST_BYTES));
  if (response.nonce === nonce) return response.checks;
  return [
    {
      level: 'bad',
      says: 'The response belongs to an earlier request: a proxy or a CDN caches responses of the API.',
      remedy: 'Let it follow Cache-Control, or exclude /api from its cache.',
    },
  ];
}
