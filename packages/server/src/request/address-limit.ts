// Limits how often an address may send and read in a minute. Addresses are kept in memory only.
import { isIPv6 } from 'node:net';
import type { Context } from '../context.ts';
import { countByMinute } from './minute-limit.ts';

const countPost = countAddress('requests');
const countRead = countAddress('reads');

type Request = { readonly ip: string };

/** Counts a POST to a public route. Throws 4290 with `retry_after` in seconds beyond CHAUFFEUR_LIMIT_PUBLIC. */
export function countPublicPost(ctx: Context, request: Request): void {
  countPost(ctx, request, ctx.config.limitPublic);
}

/** Counts a read of a public page or route. Throws 4290 with `retry_after` in seconds beyond CHAUFFEUR_LIMIT_READS. */
export function countPublicRead(ctx: Context, request: Request): void {
  countRead(ctx, request, ctx.config.limitReads);
}

function countAddress(uses: string): (ctx: Context, request: Request, max: number) => void {
  const count = countByMinute();
  return (ctx, { ip }, max) => {
    // Checked first, because determining the network costs more than counting.
    if (max === 0) return;
    count(ctx, networkOf(ip), { max, message: `This IP address has reached its limit of ${max} ${uses} a minute` });
  };
}

/**
 * Treats an IPv6 network of 64 bits as one address: it belongs to one household or machine (RFC 6177), which
 * can use any of its addresses.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:') || !isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return groups.slice(0, 4).join(':');
}
