// Bug tickets: filed by players who can see the game, optionally with a dump and a log; listed and updated by its
// members.
import { ApiError } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/bugs';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { countLimit } from '../../kernel/limits/count-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import type { Call } from '../../request/call.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { type Reader, readReplica } from '../../request/read-replica.ts';
import { type Alert, raiseAlerts } from '../alerts/alerts.ts';
import { type Build, findBuild } from '../builds/builds.ts';
import { existingReports, openReport } from '../crashes/crashes.ts';
import { findGame, type Game, requireMember, roleOf, unknownGame } from '../games/games.ts';
import * as bugs from './bugs.sql.ts';

type FiledBug = OutputOf<typeof contract.fileBug>;
type Ticket = OutputOf<typeof contract.updateBugTicket>;
type BugInput = InputOf<typeof contract.fileBug>;

const PAGE_SIZE = 50;
/** The characters of a message that an alert has. */
const ALERT_TEXT = 200;

export async function fileBug(ctx: Context, { caller, input }: Call<typeof contract.fileBug>): Promise<FiledBug> {
  const game = await requireVisible(ctx, caller, input.uid);
  const build = await findRequestedBuild(ctx, game, input);
  const bug = bugOf(ctx, caller, game, build, input);
  await insertWithinLimit(ctx, bug);
  if (build === null || !wantsReport(input)) return { bug_uid: bug.bugId, crash_id: null, uploads: {} };
  try {
    return { bug_uid: bug.bugId, ...(await openReportOf(ctx, bug, build, input)) };
  } catch (error) {
    // Otherwise the player would file the bug again, and the developer would see it twice.
    await bugs.deleteBug(ctx.db, game.game_id, bug.bugId);
    throw error;
  }
}

/** The game, if the caller may see it: drafts are only visible to members. */
async function requireVisible(ctx: Context, caller: AccountCaller, ref: string): Promise<Game> {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw unknownGame();
  if (game.visibility === 'draft' && (await roleOf(ctx.db, game, caller)) === null) throw unknownGame();
  return game;
}

async function findRequestedBuild(ctx: Context, game: Game, input: BugInput): Promise<Build | null> {
  if (input.build_id === undefined) {
    if (wantsReport(input))
      throw new ApiError(4002, 'build_id: required with has_dump or has_log. Send the id of the build that crashed.');
    return null;
  }
  const build = await findBuild(ctx.db, game.game_id, input.build_id);
  if (build === null) throw new ApiError(4006, 'build_id: this game has no such build.');
  return build;
}

function wantsReport({ has_dump = false, has_log = false }: BugInput): boolean {
  return has_dump || has_log;
}

function bugOf(ctx: Context, { user }: AccountCaller, game: Game, build: Build | null, input: BugInput): bugs.NewBug {
  const filedAt = ctx.clock.now();
  return {
    gameId: game.game_id,
    bugId: newId(filedAt.getTime()),
    userId: user.id,
    filedBy: user.name,
    message: input.message,
    buildId: build?.build_id ?? null,
    os: input.os === undefined ? (build?.os ?? null) : canonicalOs(input.os),
    arch: input.arch === undefined ? (build?.arch ?? null) : canonicalArch(input.arch),
    filedAt,
  };
}

/** Throws 4290 with `retry_after` if the player has reached the limit for a UTC day, over all games. */
async function insertWithinLimit(ctx: Context, bug: bugs.NewBug): Promise<void> {
  const limit = ctx.config.limitBugs;
  const day = Math.floor(bug.filedAt.getTime() / DAY) * DAY;
  await transact(ctx.db, async (tx) => {
    const isAllowed = limit === 0 || (await bugs.lockAndCount(tx, bug.userId, new Date(day))) < limit;
    if (limit > 0 && !countLimit(ctx.metrics, 'bugs', isAllowed)) {
      const retryAfter = Math.max(1, Math.ceil((day + DAY - bug.filedAt.getTime()) / SECOND));
      const message = `You have reached the limit of ${limit} bugs a day. Try again in ${retryAfter} s.`;
      throw new ApiError(4290, message, { data: { retry_after: retryAfter } });
    }
    await bugs.insertBug(tx, bug);
    await raiseAlerts(tx, bug.gameId, [alertOf(bug)]);
  });
}

function alertOf({ bugId, filedAt, filedBy, message }: bugs.NewBug): Alert {
  const start = Array.from(message.slice(0, 2 * ALERT_TEXT))
    .slice(0, ALERT_TEXT)
    .join('');
  return {
    kind: 'new_bug',
    subject: bugId,
    happenedAt: filedAt,
    data: { bug_id: bugId, message: start, filed_by: filedBy },
  };
}

/** Past the game's daily limit of reports, the bug is filed without its files. */
async function openReportOf(
  ctx: Context,
  bug: bugs.NewBug,
  build: Build,
  input: BugInput,
): Promise<Omit<FiledBug, 'bug_uid'>> {
  try {
    const { reportId, uploads } = await openReport(ctx, {
      gameId: bug.gameId,
      buildId: build.build_id,
      has_dump: input.has_dump ?? false,
      has_log: input.has_log ?? false,
      app_version: build.version,
      os: bug.os ?? build.os,
      arch: bug.arch ?? build.arch,
      user_message: Array.from(bug.message).slice(0, LIMITS.userMessageLength).join(''),
    });
    await bugs.setCrash(ctx.db, bug.gameId, bug.bugId, reportId);
    return { crash_id: reportId, uploads };
  } catch (error) {
    if (error instanceof ApiError && error.code === 4290) return { crash_id: null, uploads: {} };
    throw error;
  }
}

export async function listBugTickets(
  ctx: Context,
  { caller, input }: Call<typeof contract.listBugTickets>,
): Promise<OutputOf<typeof contract.listBugTickets>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { status, cursor, limit = PAGE_SIZE } = input;
  const list = ['bugs', game.game_id, status ?? null];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  return readReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const matches = await bugs.listBugs(reader.db, game.game_id, status, { before, limit: limit + 1 });
    const { page, last } = cutPage(matches, limit);
    return {
      bugs: await ticketsOf(reader, game, page),
      next_cursor: last === null ? null : writeCursor(list, [last.bug_id]),
    };
  });
}

export async function getBugTicket(
  ctx: Context,
  { caller, input: { uid, bug_uid } }: Call<typeof contract.getBugTicket>,
): Promise<Ticket> {
  const { game } = await requireMember(ctx, caller, uid);
  return requireTicket(ctx, game, await bugs.findBug(ctx.db, game.game_id, bug_uid));
}

/** The number of open tickets of each game that has any, counted up to LIMITS.bugsCounted. */
export async function countOpenBugs(ctx: Context, gameIds: readonly string[]): Promise<Map<string, number>> {
  const counted = await bugs.countOpen(ctx.db, gameIds, LIMITS.bugsCounted);
  return new Map(counted.map(({ game_id, open }) => [game_id, open]));
}

export async function updateBugTicket(
  ctx: Context,
  { caller, input: { uid, bug_uid, status } }: Call<typeof contract.updateBugTicket>,
): Promise<Ticket> {
  const { game } = await requireMember(ctx, caller, uid);
  const bug = await bugs.updateStatus(ctx.db, game.game_id, bug_uid, { status, now: ctx.clock.now() });
  return requireTicket(ctx, game, bug);
}

/** The ticket's record. Throws 4040 if there is no such ticket. */
async function requireTicket(ctx: Context, game: Game, bug: bugs.BugRow | undefined): Promise<Ticket> {
  if (bug === undefined) throw new ApiError(4040, 'bug_uid: this game has no such bug ticket.');
  const [record] = await ticketsOf(ctx, game, [bug]);
  return record!;
}

/** Leaves out the ids of reports that were deleted or have expired. */
async function ticketsOf(ctx: Reader, game: Game, rows: readonly bugs.BugRow[]): Promise<Ticket[]> {
  const crashIds = rows.flatMap(({ crash_id }) => crash_id ?? []);
  const existing = await existingReports(ctx, game.game_id, crashIds);
  return rows.map(({ bug_id, crash_id, filed_at, updated_at, ...bug }) => ({
    bug_uid: bug_id,
    ...bug,
    crash_id: crash_id !== null && existing.has(crash_id) ? crash_id : null,
    filed_at: filed_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }));
}
