// Recognizes the browsers in which a person has signed in before.
import { isIPv4, isIPv6 } from 'node:net';
import { sql } from 'kysely';
import { DAY } from '../../kernel/clock.ts';
import { changed, type Db, onlyRow, row } from '../../kernel/database/db.ts';
import { hashSecret, newId } from '../../kernel/secrets/ids.ts';

/** The cookie by which a browser is recognized; it gives no access. */
export const BROWSER_COOKIE = 'browser';
/** The longest that browsers keep a cookie (RFC 6265bis, section 5.5). */
export const BROWSER_COOKIE_SECONDS = 400 * 24 * 3600;
export const BROWSER_COOKIE_LENGTH = 32;

/** Further sign-ins are listed at /settings/security, but not mailed. */
const MAX_MAILS_PER_DAY = 5;
const MAX_BROWSERS = 50;
const MAX_USER_AGENT_LENGTH = 500;

type Visit = {
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
    network: browserNetworkOf(visit.address),
  };
  const known = await findBrowser(db, browser);
  if (known !== undefined) {
    await touchBrowser(db, known, browser, now);
    return false;
  }
  const { all, fresh } = await countBrowsers(db, visit.userId, new Date(now.getTime() - DAY));
  await insertBrowser(db, newId(now.getTime()), browser, now);
  if (all >= MAX_BROWSERS) await forgetBrowsers(db, visit.userId, MAX_BROWSERS);
  return all > 0 && fresh <= MAX_MAILS_PER_DAY;
}

/** The first 24 bits of an IPv4 address, or the first 48 of an IPv6 address; empty for anything else. */
export function browserNetworkOf(address: string): string {
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

type Browser = { userId: string; cookieHash: Buffer | null; userAgent: string; network: string };

/** The id of the browser with this cookie, or with this name in the same network. */
async function findBrowser(db: Db, browser: Browser): Promise<string | undefined> {
  const { userId, cookieHash, userAgent, network } = browser;
  const match = await row(
    db,
    sql<{ browser_id: string }>`select browser_id from user_browsers
      where user_id = ${userId} and (cookie_hash = ${cookieHash} or (user_agent = ${userAgent} and network = ${network}))
      order by cookie_hash = ${cookieHash} desc nulls last limit 1`,
  );
  return match?.browser_id;
}

/** Remembers that a browser was seen again, with its current cookie and network. */
async function touchBrowser(db: Db, browserId: string, browser: Browser, now: Date): Promise<void> {
  await changed(
    db,
    sql`update user_browsers set last_seen_at = ${now}, network = ${browser.network}, user_agent = ${browser.userAgent},
        cookie_hash = coalesce(${browser.cookieHash}::bytea, cookie_hash)
      where browser_id = ${browserId}`,
  );
}

async function insertBrowser(db: Db, browserId: string, browser: Browser, now: Date): Promise<void> {
  const { userId, cookieHash, userAgent, network } = browser;
  await changed(
    db,
    sql`insert into user_browsers (browser_id, user_id, cookie_hash, user_agent, network, first_seen_at, last_seen_at)
      values (${browserId}, ${userId}, ${cookieHash}, ${userAgent}, ${network}, ${now}, ${now})`,
  );
}

/** How many browsers the account has, and how many of them were first seen after `time`. */
function countBrowsers(db: Db, userId: string, time: Date): Promise<{ all: number; fresh: number }> {
  return onlyRow(
    db,
    sql<{ all: number; fresh: number }>`select count(*) as all, count(*) filter (where first_seen_at > ${time}) as fresh
      from user_browsers where user_id = ${userId}`,
  );
}

/** Forgets all but the browsers that were seen last. */
async function forgetBrowsers(db: Db, userId: string, kept: number): Promise<void> {
  await changed(
    db,
    sql`delete from user_browsers where user_id = ${userId} and browser_id not in (
      select browser_id from user_browsers where user_id = ${userId} order by last_seen_at desc limit ${kept})`,
  );
}
