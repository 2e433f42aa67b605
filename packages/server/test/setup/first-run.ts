// Puts a server back into its first run, and issues a set-up code as a starting process does.
import { sql } from 'kysely';
import { changed } from '../../src/kernel/database/db.ts';
import { issueSetupLink } from '../../src/operate/setup/setup.ts';
import type { TestServer } from './server.ts';

/** Makes every operator an ordinary account, so that there is none. */
export async function reopenSetup({ ctx }: TestServer): Promise<void> {
  await changed(ctx.db, sql`update users set operator = false where operator`);
  await changed(ctx.db, sql`delete from setup_end`);
}

/** Returns a new code. Throws if set-up is over. */
export async function issueCode({ ctx }: TestServer): Promise<string> {
  const [, code] = (await issueSetupLink(ctx))?.split('#code=') ?? [];
  if (code === undefined) throw new Error('the server issued no set-up code');
  return code;
}
