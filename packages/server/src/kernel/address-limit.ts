// Counts the POSTs of each address in this minute, in memory: no address is ever stored, and counting costs no round trip.
// Processes count apart, so N of them behind one address let through N times as many.
import { isIPv6 } from 'node:net';
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../context.ts';
import { MINUTE } from './clock.ts';
import { perContext } from './per-context.ts';

/** Addresses of one minute; past it, unknown ones are let through rather than known ones forgotten. */
const MOST_ADDRESSES = 100_000;

type Window = { start: number; readonly used: Map<string, number> };

const windowOf = perContext<Window>(() => ({ start: 0, used: new Map() }));

/** Counts one POST to a public route. Throws 4290 with `retry_after` in seconds past CHAUFFEUR_LIMIT_PUBLIC. */
export function countPublicPost(ctx: Context, address: string): void {
  const most = ctx.config.limitPublic;
  if (most === 0) return;
  const now = ctx.clock.now().getTime();
  const start = now - (now % MINUTE);
  const window = windowOf(ctx);
  if (window.start !== start) {
    window.start = start;
    window.used.clear();
  }
  const key = networkOf(address);
  const used = (window.used.get(key) ?? 0) + 1;
  if (used > 1 || window.used.size < MOST_ADDRESSES) window.used.set(key, used);
  if (used <= most) return;
  const retryAfter = Math.max(1, Math.ceil((start + MINUTE - now) / 1000));
  const message = `This address has reached its limit of ${most} requests a minute; try again in ${retryAfter} s.`;
  throw new ApiError(4290, message, { data: { retry_after: retryAfter } });
}

/** An IPv6 network of 64 bits is one household or machine (RFC 6177), which has as many addresses as it wants. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return groups.slice(0, 4).join(':');
}
