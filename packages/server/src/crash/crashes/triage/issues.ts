// Issues about crash groups in the tracker of the developers. A group has at most one: creating it begins with a claim.
import { errors } from '@chauffeur/contract/errors';
import { formatNumber, formatOs } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/issue-tracker';
import { PAGES } from '@chauffeur/contract/pages';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, type Db } from '../../../kernel/database/db.ts';
import { type Game, requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import type { Issue } from '../../issue-tracker/hosts.ts';
import { createIssue, draftIssue, fenced, ISSUE_CLAIM_MS } from '../../issue-tracker/issue-tracker.ts';
import { readGroup } from '../read/group-list.ts';
import { readCrash } from '../read/report.ts';
import { changeGroups } from './changes.ts';

const MAX_FRAMES = 12;

export const draftCrashGroupIssue = handle(contract.draftCrashGroupIssue, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const issue = await issueOf(ctx, game, input.group_id);
  const { url, canCreate } = await draftIssue(ctx, game.game_id, issue);
  return { ...issue, url, can_create: canCreate };
});

/** Throws `invalid` if the group has an issue already: two people would create two. */
export const createCrashGroupIssue = handle(contract.createCrashGroupIssue, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const drafted = await issueOf(ctx, game, input.group_id);
  const issue = { title: input.title ?? drafted.title, body: input.body ?? drafted.body };
  const now = ctx.clock.now();
  const isClaimed = await claimIssue(ctx.db, game.game_id, input.group_id, {
    now,
    before: new Date(now.getTime() - ISSUE_CLAIM_MS),
  });
  if (!isClaimed)
    throw errors.invalid('The group already has an issue, or one is being created. Remove its link first.');
  try {
    const url = await createIssue(ctx, game.game_id, issue);
    const change = { issue_url: url.slice(0, LIMITS.issueUrlLength) };
    const { changeUid } = await changeGroups(ctx, { caller, game, groupIds: [input.group_id], change });
    return { issue_url: url, change_uid: changeUid! };
  } finally {
    await endClaim(ctx.db, game.game_id, input.group_id);
  }
});

async function issueOf(ctx: Context, game: Game, groupId: string): Promise<Issue> {
  const group = await readGroup(ctx, game.game_id, groupId);
  const crash =
    group.sample_crash_id === null
      ? null
      : await readCrash(ctx, game.game_id, group.sample_crash_id, 'viewer').catch(() => null);
  const link = `${ctx.publicUrl}${PAGES.crashGroup.replace(':uid', game.slug).replace(':group_id', group.group_id)}`;
  const frames = (crash?.stack ?? []).slice(0, MAX_FRAMES).map(({ function: name, module, file, line }) => {
    const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
    return `${name ?? module ?? '???'}${place}`;
  });
  const versions = group.builds.map(({ version, count }) => `${version || 'deleted build'} (${formatNumber(count)})`);
  const lines = [
    `- Reports: ${formatNumber(group.count)}`,
    `- First seen: ${group.first_seen.slice(0, 10)}, last seen: ${group.last_seen.slice(0, 10)}`,
    `- Builds: ${versions.slice(0, 10).join(', ')}`,
    `- OS: ${group.oses.map(({ os, count }) => `${formatOs(os) || 'unknown'} (${formatNumber(count)})`).join(', ')}`,
    ...(group.reason === null ? [] : [`- Reason: ${group.reason}`]),
  ];
  return {
    title: group.title,
    body: [
      fenced([group.signature]),
      lines.join('\n'),
      ...(frames.length === 0 ? [] : [`Stack of the latest report:\n\n${fenced(frames)}`]),
      link,
    ].join('\n\n'),
  };
}

/** Returns false if the group has an issue, or one has been in creation since `before`. */
export async function claimIssue(
  db: Db,
  gameId: string,
  groupId: string,
  { now, before }: { now: Date; before: Date },
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_groups set issue_claimed_at = ${now}
      where game_id = ${gameId} and group_id = (
          select coalesce(merged_into, group_id) from crash_groups where game_id = ${gameId} and group_id = ${groupId})
        and issue_url is null and (issue_claimed_at is null or issue_claimed_at < ${before})`,
  );
  return count > 0;
}

export async function endClaim(db: Db, gameId: string, groupId: string): Promise<void> {
  await changed(
    db,
    sql`update crash_groups set issue_claimed_at = null
      where game_id = ${gameId} and group_id = (
        select coalesce(merged_into, group_id) from crash_groups where game_id = ${gameId} and group_id = ${groupId})`,
  );
}
