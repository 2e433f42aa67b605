// The result of a test: what was checked, how it went, and what to do. And what several tests need.

import type { IncomingHttpHeaders } from 'node:http';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { testPart } from '@chauffeur/contract/operations/setup';

export type Check = OutputOf<typeof testPart>['checks'][number];

export function pass(says: string): Check {
  return { level: 'good', says, remedy: null };
}

export function warn(says: string, remedy: string): Check {
  return { level: 'unsure', says, remedy };
}

export function fail(says: string, remedy: string): Check {
  return { level: 'bad', says, remedy };
}

/** A part of the installation did not respond in time. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** Rejects with TooSlowError if `work` takes longer. It is not interrupted. */
export async function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TooSlowError(`no response within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The number of addresses in X-Forwarded-For. Browsers never send this header, so in the request of a browser, each
 * address was added by a proxy.
 */
export function countProxies({ 'x-forwarded-for': header }: IncomingHttpHeaders): number {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .filter((address) => address.trim() !== '').length;
}
