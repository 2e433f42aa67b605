// Bug tickets as members of the game see them: listed, read, and changed.
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/bugs';
import { readWebAddress } from '@chauffeur/contract/web-address';
import type { AccountCaller, Context } from '../../context.ts';
import { findShownGroups, groupsOfReports } from '../../crash/crashes/crashes.sql.ts';
import { idsOfGroup } from '../../crash/crashes/crashes.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { firstIdAt } from '../../kernel/secrets/ids.ts';
import { findNames } from '../../people/accounts/accounts.sql.ts';
import { listMembers } from '../../people/game-access/game-access.sql.ts';
import { lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { listAttachments } from './attachments.ts';
import * as sql from './bugs.sql.ts';
import * as settings from './bugs.sql.ts';
import { listReplies, type ReplyRow } from './bugs.sql.ts';
import { listScreenshots } from './screenshots.ts';
import { sendAssignment, sendFixed } from './ticket-emails.ts';

type Ticket = OutputOf<typeof contract.listBugTickets>['bugs'][number];
type Detail = OutputOf<typeof contract.updateBugTicket>;

const PAGE_SIZE = 50;

export const listBugTickets = handle(contract.listBugTickets, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const gameId = game.game_id;
  const { status, label, assignee, group_id: groupId, crash_id: crashId, text, cursor, limit = PAGE_SIZE } = input;
  const list = [
    'bugs',
    gameId,
    status ?? null,
    label ?? null,
    assignee ?? null,
    groupId?.toLowerCase() ?? null,
    crashId?.toLowerCase() ?? null,
    text ?? null,
  ];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  return onReplica(ctx, { caller, gameId }, async (reader) => {
    const groupIds = groupId === undefined ? undefined : await idsOfGroup(reader, gameId, groupId);
    const filters = { status, label, assignee, groupIds, crashId, text };
    const matches = await sql.listBugs(reader.db, gameId, filters, { before, limit: limit + 1 });
    const { page, last } = cutPage(matches, limit);
    return {
      bugs: await ticketsOf(reader, gameId, page),
      next_cursor: last === null ? null : writeCursor(list, [last.bug_id]),
    };
  });
});

export const getBugTicket = handle(contract.getBugTicket, async (ctx, { caller, input: { uid, bug_uid } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  const ticket = await readTicket(ctx, game.game_id, bug_uid);
  return { ...ticket, attachments: await listAttachments(ctx.db, game.game_id, bug_uid) };
});

/** Throws `notFound` if the game has no such ticket. */
export async function readTicket(ctx: Context, gameId: string, bugId: string): Promise<Detail> {
  const bug = await sql.findBug(ctx.db, gameId, bugId);
  if (bug === undefined) throw unknownTicket();
  const [[record], replies, screenshots] = await Promise.all([
    ticketsOf(ctx, gameId, [bug]),
    listReplies(ctx.db, gameId, bug.bug_id),
    listScreenshots(ctx.db, gameId, bug.bug_id),
  ]);
  return { ...record!, replies: replies.map(replyRecord), screenshots };
}

export function unknownTicket(): ApiError {
  return errors.notFound('bug_uid: this game has no such bug ticket.');
}

export function replyRecord({
  reply_id,
  user_name,
  agent_name,
  message,
  sent_at,
}: ReplyRow): Detail['replies'][number] {
  return { reply_uid: reply_id, name: user_name, agent: agent_name, message, sent_at: sent_at.toISOString() };
}

/** The number of open tickets of each game that has any, counted up to LIMITS.bugsCounted. */
export async function countOpenBugs(ctx: Context, gameIds: readonly string[]): Promise<Map<string, number>> {
  const counted = await sql.countOpenTickets(ctx.db, gameIds, LIMITS.bugsCounted);
  return new Map(counted.map(({ game_id, open }) => [game_id, open]));
}

const NEWEST = 3;

/** The open tickets that were filed since a time: how many, and the newest with their titles. */
export async function bugsSince({ db }: Reader, gameId: string, since: Date) {
  const limits = { limit: NEWEST, max: LIMITS.bugsCounted };
  const found = await sql.listNewBugs(db, gameId, firstIdAt(since.getTime()), limits);
  return {
    count: found[0]?.bugs ?? 0,
    newest: found.map(({ bug_id, number, title, message }) => ({
      ...{ bug_uid: bug_id, number },
      title: title === '' ? startOf(message) : title,
    })),
  };
}

export const updateBugTicket = handle(contract.updateBugTicket, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const gameId = game.game_id;
  const now = ctx.clock.now();
  const { bug_uid: bugId, status, duplicate_of: originalId, assignee, notify_player: notifies = false } = input;
  checkChange(caller, input);
  if (assignee != null) await requireAssignable(ctx, gameId, assignee);
  const changes = {
    status,
    // The version belongs to the status, and goes with it.
    fixedIn: status === undefined ? undefined : (input.fixed_in_version ?? null),
    assignee,
    issueUrl: input.issue_url,
    title: input.title === undefined ? undefined : titleOf(input.title),
    labels: input.labels && [...new Set(input.labels)],
    groupId: input.group_id == null ? input.group_id : await requireGroup(ctx, gameId, input.group_id),
  };
  await transact(ctx.db, async (tx) => {
    const before = await sql.lockBug(tx, gameId, bugId);
    if (before === undefined) throw unknownTicket();
    if (originalId !== undefined) {
      await sql.lockDuplicates(tx, gameId);
      const original = originalId === null ? null : await requireOriginal(tx, gameId, bugId, originalId);
      await sql.setDuplicate(tx, gameId, bugId, original, now);
    }
    await sql.updateBug(tx, gameId, bugId, changes, now);
    const title = changes.title || before.title || startOf(before.message);
    if (assignee != null && assignee !== before.assignee_id)
      await sendAssignment(ctx, tx, { caller, game, userId: assignee, bugId, number: before.number, title });
    const isNews = before.status !== 'fixed' || before.fixed_in_version !== changes.fixedIn;
    if (notifies && isNews) await sendFixed(ctx, tx, { caller, game, bugId, version: changes.fixedIn ?? null });
  });
  return readTicket(ctx, gameId, bugId);
});

/** Throws `invalid` for fields that don't go together, and `notAllowed` for an agent that wants to email players. */
function checkChange({ agent }: AccountCaller, input: InputOf<typeof contract.updateBugTicket>): void {
  const { status, fixed_in_version: fixedIn, notify_player: notifies = false, issue_url: issueUrl } = input;
  if (status !== 'fixed') {
    const field = fixedIn !== undefined ? 'fixed_in_version' : 'notify_player';
    if (fixedIn !== undefined || notifies)
      throw errors.invalid(`${field}: only for fixed tickets. Send it with the status fixed.`);
  }
  if (issueUrl != null && readWebAddress(issueUrl) === null) throw errors.invalid('issue_url: must be an address.');
  if (notifies && agent !== undefined)
    throw errors.notAllowed('notify_player: only a person can email players. Ask a member of the game to do it.');
}

async function requireAssignable(ctx: Context, gameId: string, userId: string): Promise<void> {
  const members = await listMembers(ctx.db, gameId);
  if (!members.some(({ user_id }) => user_id === userId))
    throw errors.invalid('assignee: this person is not a member of the game.');
}

/** The title, which is empty for null. Throws `invalid` for characters that do not belong in a title. */
function titleOf(title: string | null): string {
  if (title === null) return '';
  const problem = findDisplayNameProblem(title, LIMITS.bugTitleLength);
  if (problem !== null) throw errors.invalid(`title: ${problem}.`);
  return tidyDisplayName(title);
}

/** The group, or the group that it was merged into. Throws `notFound`. */
async function requireGroup(ctx: Context, gameId: string, groupId: string): Promise<string> {
  const group = (await findShownGroups(ctx.db, gameId, [groupId])).get(groupId.toLowerCase());
  if (group === undefined) throw errors.notFound('group_id: this game has no such crash group.');
  return group.group_id;
}

/**
 * Throws `notFound` if one of the tickets does not exist, and `invalid` if they are the same or were marked the other
 * way round.
 */
async function requireOriginal(tx: Tx, gameId: string, bugId: string, originalId: string): Promise<string> {
  const original = await sql.findOriginal(tx, gameId, originalId);
  if (original === undefined) throw errors.notFound('duplicate_of: this game has no such bug ticket.');
  if (original !== bugId.toLowerCase()) return original;
  throw errors.invalid(
    originalId.toLowerCase() === original
      ? 'duplicate_of: a ticket cannot be a duplicate of itself.'
      : 'duplicate_of: that ticket is a duplicate of this one.',
  );
}

/** Converts rows, without the ids of reports and groups that were deleted or have expired. */
async function ticketsOf(ctx: Reader, gameId: string, rows: readonly sql.BugRow[]): Promise<Ticket[]> {
  const groupOfReport = await groupsOfReports(
    ctx.db,
    gameId,
    rows.flatMap(({ crash_id }) => crash_id ?? []),
  );
  const groupIdOf = ({ group_id, crash_id }: sql.BugRow) =>
    group_id ?? (crash_id === null ? null : (groupOfReport.get(crash_id) ?? null));
  const groups = await findShownGroups(ctx.db, gameId, [...new Set(rows.flatMap((row) => groupIdOf(row) ?? []))]);
  const names = await findNames(ctx.db, [...new Set(rows.flatMap(({ assignee_id }) => assignee_id ?? []))]);
  return rows.map((row) => {
    const {
      bug_id,
      title,
      crash_id,
      assignee_id: assigneeId,
      group_id: _,
      duplicate_of,
      original_number,
      filed_at,
      updated_at,
      ...bug
    } = row;
    return {
      ...bug,
      bug_uid: bug_id,
      title: title === '' ? startOf(bug.message) : title,
      crash_id: crash_id !== null && groupOfReport.has(crash_id) ? crash_id : null,
      group: groups.get(groupIdOf(row) ?? '') ?? null,
      assignee:
        assigneeId !== null && names.has(assigneeId) ? { user_id: assigneeId, name: names.get(assigneeId)! } : null,
      duplicate_of: duplicate_of === null ? null : { bug_uid: duplicate_of, number: original_number! },
      filed_at: filed_at.toISOString(),
      updated_at: updated_at.toISOString(),
    };
  });
}

/** A shorter first line, such as a greeting, says too little. */
const MIN_TITLE_LENGTH = 12;

/** The title of a ticket without one: the first line of its message, or the beginning of the message. */
function startOf(message: string): string {
  const start = message.slice(0, 4 * LIMITS.bugTitleLength).trim();
  const [firstLine = ''] = start.split(/[\r\n]/, 1);
  const [...characters] = (firstLine.length < MIN_TITLE_LENGTH ? start : firstLine).replace(/\s+/g, ' ').trim();
  if (characters.length <= LIMITS.bugTitleLength) return characters.join('');
  return `${characters.slice(0, LIMITS.bugTitleLength - 1).join('')}…`;
}

export const getBugSettings = handle(contract.getBugSettings, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return { guests: await settings.acceptsGuests(ctx.db, game.game_id) };
});

export const setBugSettings = handle(contract.setBugSettings, async (ctx, { caller, input: { uid, guests } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  await transact(ctx.db, async (tx) => {
    // The lock makes the second of two changes at the same time start from the first.
    await lockGame(tx, game.game_id);
    auditChange('guests', await settings.acceptsGuests(tx, game.game_id), guests);
    await settings.setGuests(tx, game.game_id, guests);
  });
  return { guests };
});
