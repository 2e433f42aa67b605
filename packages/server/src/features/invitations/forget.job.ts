// Forgets the addresses of people who were invited, once nobody can accept any more.
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { forgetInvitations } from './invitations.sql.ts';

export const forgetInvitationsJob = defineJob<object>('invitations:forget', 3);

/** Until then the link says what became of the invitation, and the owner can send it again. */
const KEPT_DAYS = 30;

export async function forgetOldInvitations(ctx: Context): Promise<void> {
  await forgetInvitations(ctx.db, new Date(ctx.clock.now().getTime() - KEPT_DAYS * DAY));
}
