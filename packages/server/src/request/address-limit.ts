// Limits how often an address may send and read in a minute, and cause emails in an hour. Addresses are not stored.
import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Context } from '../context.ts';
import { HOUR, SECOND } from '../kernel/clock.ts';
import { countUse } from '../kernel/limits/rate-limit.ts';
import { deriveKey } from '../kernel/secrets/signed-token.ts';
import { countByMinute } from './minute-limit.ts';
import { perContext } from './per-context.ts';

const countPost = countAddress('public_posts', 'requests');
const countRead = countAddress('public_reads', 'reads');
const countAttempt = countAddress('set_up_codes', 'set-up codes');

type Request = { readonly ip: string };

/**
 * Counts a POST to a public route. Throws `limitReached` with `retry_after` in seconds beyond CHAUFFEUR_LIMIT_PUBLIC.
 */
export function countPublicPost(ctx: Context, request: Request): void {
  countPost(ctx, request, ctx.config.limitPublic);
}

/**
 * Counts a read of a public page or route. Throws `limitReached` with `retry_after` in seconds beyond
 * CHAUFFEUR_LIMIT_READS.
 */
export function countPublicRead(ctx: Context, request: Request): void {
  countRead(ctx, request, ctx.config.limitReads);
}

/**
 * Counts an attempt to use a set-up code. Throws `limitReached` with `retry_after` in seconds beyond
 * CHAUFFEUR_LIMIT_SIGN_INS.
 */
export function countSetupCode(ctx: Context, request: Request): void {
  countAttempt(ctx, request, ctx.config.limitSignIns);
}

const networkKeyOf = perContext(({ secret }) => deriveKey(secret, 'addresses that cause mails'));

/**
 * Counts a request that can send an email to an address that the sender chooses, like a POST to a public route. Throws
 * `limitReached` with `retry_after` in seconds beyond CHAUFFEUR_LIMIT_MAIL_REQUESTS in an hour.
 */
export async function countEmailRequest(ctx: Context, request: Request): Promise<void> {
  countPublicPost(ctx, request);
  const subject = createHmac('sha256', networkKeyOf(ctx)).update(networkOf(request.ip)).digest('base64url');
  await countUse(ctx, ctx.db, subject, {
    name: 'requests that send email',
    scope: 'IP address',
    max: ctx.config.limitMailRequests,
    windowSeconds: HOUR / SECOND,
  });
}

function countAddress(
  name: 'public_posts' | 'public_reads' | 'set_up_codes',
  uses: string,
): (ctx: Context, request: Request, max: number) => void {
  const count = countByMinute(name);
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
