// Deletes old invitations with the addresses of the people who were invited.
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { forgetInvitations } from './invitations.sql.ts';
import { forgetInvitations as forgetTeamInvitations } from './team-invitations.sql.ts';

export const forgetInvitationsJob = defineJob(
  'invitations:forget',
  { attempts: 3, cron: '33 3 * * *', deletesOld: true },
  forgetOldInvitations,
);

/** Until then, the link shows the state of the invitation, and the owner can resend it. */
const KEPT_DAYS = 30;

export async function forgetOldInvitations(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - KEPT_DAYS * DAY);
  await forgetInvitations(ctx.db, before);
  await forgetTeamInvitations(ctx.db, before);
}
