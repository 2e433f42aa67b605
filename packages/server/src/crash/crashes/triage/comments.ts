// Comments on crash groups. Members who are mentioned get a mail.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/triage';
import type { Db } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { listMembers } from '../../../people/game-access/game-access.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import * as activity from '../groups/activity.sql.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { findFamily } from '../read/family.sql.ts';
import { activityRecords } from './activity.ts';
import { lockHeads, madeBy } from './changes.ts';
import { mentionedIn } from './mentions.ts';
import * as sql from './merges.sql.ts';
import { mentionEmails, sendMails } from './triage-emails.ts';

type Comment = OutputOf<typeof contract.addCrashGroupComment>;

export const addCrashGroupComment = handle(contract.addCrashGroupComment, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const members = await listMembers(ctx.db, game.game_id);
  const activityId = newId(ctx.clock.now().getTime());
  await transactGroups(ctx.db, async (tx) => {
    const [group] = await lockHeads(tx, game.game_id, [input.group_id]);
    const entry = { ...madeBy(caller), activityId, groupId: group!.group_id, kind: 'comment' as const };
    await activity.insertActivity(tx, game.game_id, [{ ...entry, comment: input.comment }]);
    await sql.markTriaged(tx, game.game_id, group!.group_id);
    const mentioned = mentionedIn(input.comment, members);
    await sendMails(
      ctx,
      tx,
      caller,
      game.game_id,
      await mentionEmails(ctx, { caller, game, group: group!, mentioned, comment: input.comment }),
    );
  });
  return readComment(ctx.db, game.game_id, input.group_id, activityId);
});

/** Members who are mentioned only now get a mail. */
export const updateCrashGroupComment = handle(contract.updateCrashGroupComment, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const members = await listMembers(ctx.db, game.game_id);
  await transactGroups(ctx.db, async (tx) => {
    const [group] = await lockHeads(tx, game.game_id, [input.group_id]);
    const existing = await requireComment(tx, game.game_id, input.group_id, input.activity_uid);
    if (existing.user_id !== caller.user.id) throw errors.notAllowed('Only the author of a comment can edit it.');
    const change = { comment: input.comment, at: ctx.clock.now() };
    if (!(await activity.updateComment(tx, game.game_id, input.activity_uid, change))) throw unknownComment();
    const before = mentionedIn(existing.comment ?? '', members).map(({ user_id }) => user_id);
    const mentioned = mentionedIn(input.comment, members).filter(({ user_id }) => !before.includes(user_id));
    await sendMails(
      ctx,
      tx,
      caller,
      game.game_id,
      await mentionEmails(ctx, { caller, game, group: group!, mentioned, comment: input.comment }),
    );
  });
  return readComment(ctx.db, game.game_id, input.group_id, input.activity_uid);
});

export const deleteCrashGroupComment = handle(contract.deleteCrashGroupComment, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const existing = await requireComment(ctx.db, game.game_id, input.group_id, input.activity_uid);
  if (existing.user_id !== caller.user.id && role !== 'owner')
    throw errors.notAllowed('Only the author of a comment and the owner of the game can delete it.');
  return { deleted: await activity.deleteComment(ctx.db, game.game_id, input.activity_uid) };
});

async function readComment(db: Db, gameId: string, groupId: string, activityId: string): Promise<Comment> {
  const comment = await requireComment(db, gameId, groupId, activityId);
  const [record] = await activityRecords(db, gameId, [comment]);
  return record!;
}

/** Also finds comments on groups that were merged into this one, or that this one was merged into. */
async function requireComment(
  db: Db,
  gameId: string,
  groupId: string,
  activityId: string,
): Promise<activity.ActivityRow> {
  const family = await findFamily(db, gameId, groupId);
  const comment = await activity.findComment(db, gameId, family, activityId);
  if (comment === undefined) throw unknownComment();
  return comment;
}

function unknownComment(): ApiError {
  return errors.notFound('activity_uid: this group has no such comment; it may have been deleted.');
}
