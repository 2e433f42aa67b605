// The SQL of the browsers in which people have signed in.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row } from '../../kernel/database/db.ts';

export type Browser = { userId: string; cookieHash: Buffer | null; userAgent: string; network: string };

/** The id of the browser with this cookie, or with this name in the same network. */
export async function findBrowser(db: Db, browser: Browser): Promise<string | undefined> {
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
export async function touchBrowser(db: Db, browserId: string, browser: Browser, now: Date): Promise<void> {
  await changed(
    db,
    sql`update user_browsers set last_seen_at = ${now}, network = ${browser.network}, user_agent = ${browser.userAgent},
        cookie_hash = coalesce(${browser.cookieHash}::bytea, cookie_hash)
      where browser_id = ${browserId}`,
  );
}

export async function insertBrowser(db: Db, browserId: string, browser: Browser, now: Date): Promise<void> {
  const { userId, cookieHash, userAgent, network } = browser;
  await changed(
    db,
    sql`insert into user_browsers (browser_id, user_id, cookie_hash, user_agent, network, first_seen_at, last_seen_at)
      values (${browserId}, ${userId}, ${cookieHash}, ${userAgent}, ${network}, ${now}, ${now})`,
  );
}

/** How many browsers the account has, and how many of them were first seen after `time`. */
export function countBrowsers(db: Db, userId: string, time: Date): Promise<{ all: number; fresh: number }> {
  return onlyRow(
    db,
    sql<{ all: number; fresh: number }>`select count(*) as all, count(*) filter (where first_seen_at > ${time}) as fresh
      from user_browsers where user_id = ${userId}`,
  );
}

/** Forgets all but the browsers that were seen last. */
export async function forgetBrowsers(db: Db, userId: string, kept: number): Promise<void> {
  await changed(
    db,
    sql`delete from user_browsers where user_id = ${userId} and browser_id not in (
      select browser_id from user_browsers where user_id = ${userId} order by last_seen_at desc limit ${kept})`,
  );
}
