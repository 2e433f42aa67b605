// Recognizes the browsers in which a person has signed in before.
import { isIPv4, isIPv6 } from 'node:net';
import { DAY } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/database/db.ts';
import { hashSecret, newId } from '../../kernel/secrets/ids.ts';
import * as browsers from './browsers.sql.ts';

/** The cookie by which a browser is recognized; it gives no access. */
export const BROWSER_COOKIE = 'browser';
/** The longest that browsers keep a cookie (RFC 6265bis, section 5.5). */
export const BROWSER_COOKIE_SECONDS = 400 * 24 * 3600;
export const BROWSER_COOKIE_LENGTH = 32;

/** Further sign-ins are listed at /settings/security, but not mailed. */
const MAX_MAILS_PER_DAY = 5;
const MAX_BROWSERS = 50;
const MAX_USER_AGENT_LENGTH = 500;

export type Visit = {
  readonly userId: string;
  readonly cookie: string;
  readonly userAgent: string;
  readonly address: string;
};

/**
 * Remembers the browser, and returns whether an email should report it: it is new, is not the first browser of the
 * account, and few others were new in the last day.
 */
export async function noteBrowser(db: Db, visit: Visit, now: Date): Promise<boolean> {
  const browser = {
    userId: visit.userId,
    cookieHash: hashSecret(visit.cookie),
    userAgent: visit.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    network: networkOf(visit.address),
  };
  const known = await browsers.findBrowser(db, browser);
  if (known !== undefined) {
    await browsers.touchBrowser(db, known, browser, now);
    return false;
  }
  const { all, fresh } = await browsers.countBrowsers(db, visit.userId, new Date(now.getTime() - DAY));
  await browsers.insertBrowser(db, newId(now.getTime()), browser, now);
  if (all >= MAX_BROWSERS) await browsers.forgetBrowsers(db, visit.userId, MAX_BROWSERS);
  return all > 0 && fresh <= MAX_MAILS_PER_DAY;
}

/** The first 24 bits of an IPv4 address, or the first 48 of an IPv6 address; empty for anything else. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped.split('.').slice(0, 3).join('.');
  if (!isIPv6(address)) return '';
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return all
    .slice(0, 3)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
