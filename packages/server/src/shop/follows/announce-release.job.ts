// Emails followers about releases: once for each version that stable keeps for a while, whatever its number of
// platforms.
import { asLanguage } from '@chauffeur/contract/texts/messages';
import type { Context } from '../../context.ts';
import { DAY, MINUTE } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { findRelease } from '../store/releases.ts';
import { releaseEmail } from './follow-emails.ts';
import * as sql from './follows.sql.ts';
import { endAddress, endPage } from './follows.ts';

export const announceJob = defineJob('follows:announce', { attempts: 3, cron: '*/5 * * * *' }, announceReleases);
export const emailFollowersJob = defineJob('follows:mail', { attempts: 12, lane: 'long' }, emailFollowers);

/** The time that developers have for the other platforms, and to roll back a mistake. */
const SETTLE_MS = 10 * MINUTE;
/** Releases from an outage of the jobs are announced if it was shorter than this. */
const WINDOW_MS = DAY;
/** The number of followers of a transaction, which should be short. */
const BATCH_SIZE = 200;

export async function announceReleases(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const [since, until] = [new Date(now.getTime() - WINDOW_MS), new Date(now.getTime() - SETTLE_MS)];
  for (const due of await sql.listDueReleases(ctx.db, { since, until, now }))
    await transact(ctx.db, async (tx) => {
      if (!(await sql.insertAnnounced(tx, due, now))) return;
      const { game_id: gameId, version, released_at } = due;
      await addJob(tx, emailFollowersJob, { gameId, version, releasedAt: released_at.toISOString() });
    });
  await sql.deleteAnnounced(ctx.db, new Date(now.getTime() - 2 * WINDOW_MS));
}

type Release = { gameId: string; version: string; releasedAt: string };

/** Marks followers in the transaction that enqueues their emails, so a second run emails only the others. */
export async function emailFollowers(ctx: Context, { gameId, version, releasedAt }: Release): Promise<void> {
  const [game, release] = await Promise.all([findGame(ctx.db, gameId), findRelease(ctx.db, gameId, version)]);
  // The game was deleted or hidden, or the release withdrawn, in the meantime.
  if (game === null || game.visibility === 'draft' || release === undefined) return;
  const page = `${ctx.publicUrl}/g/${game.slug}`;
  for (let taken = BATCH_SIZE; taken === BATCH_SIZE; )
    taken = await transact(ctx.db, async (tx) => {
      const followers = await sql.takeFollowers(tx, { gameId, version, releasedAt: new Date(releasedAt) }, BATCH_SIZE);
      const emails = followers.map(({ follow_id: followId, address, language }) => {
        const links = { page, endPage: endPage(ctx, followId), end: endAddress(ctx, followId) };
        return releaseEmail(address, asLanguage(language), game, { ...release, id: newId() }, links);
      });
      await enqueueEmails(ctx, tx, 'release', emails, { gameId });
      return followers.length;
    });
}
