// Emails to members about crash groups that they are mentioned in or that were assigned to them.
import { PAGES } from '@chauffeur/contract/pages';
import type { AccountCaller, Context } from '../../../context.ts';
import type { Tx } from '../../../kernel/database/db.ts';
import type { Email } from '../../../kernel/email/email.ts';
import { oneLine, quote } from '../../../kernel/email/html-email.ts';
import { countUse } from '../../../kernel/limits/rate-limit.ts';
import { enqueueEmails } from '../../../people/emails/emails.ts';
import { listReachable } from '../../../people/game-access/game-access.sql.ts';
import type { Game } from '../../../people/game-access/game-access.ts';

type Group = { readonly group_id: string; readonly title: string };

const LIMIT = { name: 'mentions and assignments', scope: 'account', max: 200, windowSeconds: 3600 } as const;

/** They are sent if the transaction commits. Throws `limitReached` if the caller has caused too many within an hour. */
export async function sendTriageEmails(
  ctx: Context,
  tx: Tx,
  { user }: AccountCaller,
  gameId: string,
  emails: readonly Email[],
): Promise<void> {
  if (emails.length === 0) return;
  await countUse(ctx, tx, user.id, LIMIT);
  await enqueueEmails(ctx, tx, 'mention', emails, { accountId: user.id, gameId });
}

type Mention = {
  caller: AccountCaller;
  game: Game;
  group: Group;
  mentioned: readonly { readonly user_id: string }[];
  comment: string;
};

/** One to each member who is mentioned, except the author. */
export async function mentionEmails(
  ctx: Context,
  { caller, game, group, mentioned, comment }: Mention,
): Promise<Email[]> {
  const ids = mentioned.map(({ user_id }) => user_id).filter((id) => id !== caller.user.id);
  if (ids.length === 0) return [];
  return (await listReachable(ctx.db, game.game_id))
    .filter(({ user_id }) => ids.includes(user_id))
    .map(({ email }) => ({
      to: email,
      subject: oneLine(`${caller.user.name} mentioned you in ${game.name}`),
      text: [
        `${authorOf(caller)} mentioned you in a comment on the crash ${quote(group.title)} of ${quote(game.name)}:`,
        comment,
        `${linkTo(ctx, game, group)}\n`,
      ].join('\n\n'),
    }));
}

type Assignment = { caller: AccountCaller; game: Game; userId: string; groups: readonly Group[] };

/** One to the new assignee, unless they assigned the groups to themselves. */
export async function assignmentEmails(ctx: Context, { caller, game, userId, groups }: Assignment): Promise<Email[]> {
  if (userId === caller.user.id) return [];
  const members = await listReachable(ctx.db, game.game_id);
  const assignee = members.find(({ user_id }) => user_id === userId);
  if (assignee === undefined) return [];
  const [first] = groups;
  const what = groups.length === 1 ? 'a crash' : `${groups.length} crashes`;
  const listed = groups.slice(0, MAX_LISTED).map((group) => `${oneLine(group.title)}\n${linkTo(ctx, game, group)}`);
  const rest = groups.length - listed.length;
  return [
    {
      to: assignee.email,
      subject: oneLine(
        groups.length === 1
          ? `${caller.user.name} assigned ${first!.title} to you`
          : `${caller.user.name} assigned ${what} of ${game.name} to you`,
      ),
      text: [
        `${authorOf(caller)} assigned ${what} of ${quote(game.name)} to you:`,
        ...listed,
        ...(rest > 0 ? [`And ${rest} more: ${ctx.publicUrl}${PAGES.crashes.replace(':uid', game.slug)}`] : []),
        '',
      ].join('\n\n'),
    },
  ];
}

const MAX_LISTED = 20;

function authorOf({ user, agent }: AccountCaller): string {
  return agent === undefined ? user.name : `${user.name} (with ${quote(agent.name)})`;
}

function linkTo({ publicUrl }: Context, game: Game, { group_id }: Group): string {
  return `${publicUrl}${PAGES.crashGroup.replace(':uid', game.slug).replace(':group_id', group_id)}`;
}
