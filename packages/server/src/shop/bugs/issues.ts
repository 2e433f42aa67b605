// Issues about bug tickets in the tracker of the developers. A ticket has at most one: creating it begins with a claim.
import { errors } from '@chauffeur/contract/errors';
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/bugs';
import { PAGES } from '@chauffeur/contract/pages';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { createIssue, draftIssue, fenced, ISSUE_CLAIM_MS } from '../../crash/issue-tracker/issue-tracker.ts';
import { changed, type Db } from '../../kernel/database/db.ts';
import { type Game, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { readTicket } from './bugs.ts';

type Detail = OutputOf<typeof contract.createTicketIssue>;

export const draftTicketIssue = handle(contract.draftTicketIssue, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const issue = issueOf(ctx, game, await readTicket(ctx, game.game_id, input.bug_uid));
  const { url, canCreate } = await draftIssue(ctx, game.game_id, issue);
  return { ...issue, url, can_create: canCreate };
});

/** Throws `invalid` if the ticket has an issue already: two people would create two. */
export const createTicketIssue = handle(contract.createTicketIssue, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { game_id: gameId } = game;
  const drafted = issueOf(ctx, game, await readTicket(ctx, gameId, input.bug_uid));
  const issue = { title: input.title ?? drafted.title, body: input.body ?? drafted.body };
  if (!(await claimIssue(ctx.db, gameId, input.bug_uid, ctx.clock.now())))
    throw errors.invalid('The ticket already has an issue, or one is being created. Remove its link first.');
  try {
    const url = (await createIssue(ctx, gameId, issue)).slice(0, LIMITS.issueUrlLength);
    await linkIssue(ctx.db, gameId, input.bug_uid, { url, now: ctx.clock.now() });
    auditChange('issue_url', null, url);
  } finally {
    await endClaim(ctx.db, gameId, input.bug_uid);
  }
  return readTicket(ctx, gameId, input.bug_uid);
});

/**
 * What the player wrote is only in code blocks: elsewhere, it could mention people and run commands of the tracker. The
 * name of the player is left out, because others read issues too. The link comes first, because the end of a long text
 * is left out of the address that opens a new issue.
 */
function issueOf(ctx: Context, game: Game, ticket: Detail): { title: string; body: string } {
  const link = (page: string) => `${ctx.publicUrl}${page.replace(':uid', game.slug)}`;
  const platform = formatPlatform({ os: ticket.os ?? '', arch: ticket.arch ?? '' });
  const { group, duplicates, screenshots } = ticket;
  const lines = [
    `- Bug ticket: ${link(PAGES.bug).replace(':bug_uid', ticket.bug_uid)}`,
    `- Filed: ${ticket.filed_at.slice(0, 10)}`,
    ...(ticket.version === null ? [] : [`- Version: ${ticket.version}`]),
    ...(platform === '' ? [] : [`- Platform: ${platform}`]),
    ...(group === null ? [] : [`- Crash group: ${link(PAGES.crashGroup).replace(':group_id', group.group_id)}`]),
    ...(duplicates.length === 0 ? [] : [`- Duplicates: ${formatNumber(duplicates.length)}`]),
    ...(screenshots.length === 0 ? [] : [`- Screenshots, on the page of the ticket: ${screenshots.length}`]),
  ];
  const quotes = [
    ['What the player wrote', ticket.message],
    ['What the player was doing', ticket.steps],
  ].filter(([, text]) => text !== '');
  return {
    title: ticket.title,
    body: [lines.join('\n'), ...quotes.map(([heading, text]) => `${heading}:\n\n${fenced(wrap(text!))}`)].join('\n\n'),
  };
}

/** Lines of at most 100 characters, which end at spaces if possible: trackers don't wrap code blocks. */
function wrap(text: string): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => line.match(/.{1,100}(?: |$)|.{1,100}/gsu) ?? ['']);
}

/** Returns false if the ticket has an issue, or one is being created. */
async function claimIssue(db: Db, gameId: string, bugId: string, now: Date): Promise<boolean> {
  const count = await changed(
    db,
    sql`update bug_tickets set issue_claimed_at = ${now}
      where game_id = ${gameId} and bug_id = ${bugId} and issue_url is null
        and (issue_claimed_at is null or issue_claimed_at < ${new Date(now.getTime() - ISSUE_CLAIM_MS)})`,
  );
  return count > 0;
}

async function linkIssue(db: Db, gameId: string, bugId: string, { url, now }: { url: string; now: Date }) {
  await changed(
    db,
    sql`update bug_tickets set issue_url = ${url}, updated_at = ${now} where game_id = ${gameId} and bug_id = ${bugId}`,
  );
}

async function endClaim(db: Db, gameId: string, bugId: string): Promise<void> {
  await changed(
    db,
    sql`update bug_tickets set issue_claimed_at = null where game_id = ${gameId} and bug_id = ${bugId}`,
  );
}
