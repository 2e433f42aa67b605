// Bug tickets: filed by players who can see the game, with a dump and a log where they have them; listed and marked by its members.
import { ApiError } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/bugs';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import { transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { type Build, findBuild } from '../builds/builds.ts';
import { existingReports } from '../crashes/crashes.ts';
import { openReport } from '../crashes/receive/create.ts';
import { findGame, type Game, requireMember, roleOf, unknownGame } from '../games/games.ts';
import * as bugs from './bugs.sql.ts';

type Filed = OutputOf<typeof contract.fileBug>;
type Ticket = OutputOf<typeof contract.updateBugTicket>;
type BugInput = InputOf<typeof contract.fileBug>;

const PAGE_SIZE = 50;

export async function fileBug(ctx: Context, caller: AccountCaller, input: BugInput): Promise<Filed> {
  const game = await requireSeen(ctx, caller, input.uid);
  const build = await findNamedBuild(ctx, game, input);
  const bug = bugOf(ctx, caller, game, build, input);
  await insertWithinLimit(ctx, bug);
  if (build === null || !wantsReport(input)) return { bug_uid: bug.bugId, crash_id: null, uploads: {} };
  try {
    return { bug_uid: bug.bugId, ...(await openReportOf(ctx, bug, build, input)) };
  } catch (error) {
    // Else the player would file it again, and the developer read it twice.
    await bugs.deleteBug(ctx.db, game.game_id, bug.bugId);
    throw error;
  }
}

/** The game, when the caller may see it. A draft is its members’ alone. */
async function requireSeen(ctx: Context, caller: AccountCaller, ref: string): Promise<Game> {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw unknownGame();
  if (game.visibility === 'draft' && (await roleOf(ctx.db, game, caller)) === null) throw unknownGame();
  return game;
}

async function findNamedBuild(ctx: Context, game: Game, input: BugInput): Promise<Build | null> {
  if (input.build_id === undefined) {
    if (wantsReport(input))
      throw new ApiError(4002, 'build_id: needed with has_dump or has_log; send the id of the build that ran.');
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

/** Throws 4290 with `retry_after` when the player has filed as many as one may on a UTC day, of all games together. */
async function insertWithinLimit(ctx: Context, bug: bugs.NewBug): Promise<void> {
  const most = ctx.config.limitBugs;
  const day = Math.floor(bug.filedAt.getTime() / DAY) * DAY;
  await transact(ctx.db, async (tx) => {
    if (most > 0 && (await bugs.lockAndCount(tx, bug.userId, new Date(day))) >= most) {
      const retryAfter = Math.max(1, Math.ceil((day + DAY - bug.filedAt.getTime()) / SECOND));
      const message = `You have filed ${most} bugs today, as many as one may in a day; try again in ${retryAfter} s.`;
      throw new ApiError(4290, message, { data: { retry_after: retryAfter } });
    }
    await bugs.insertBug(tx, bug);
  });
}

/** A game that has taken its reports of the day still takes the bug: without its files. */
async function openReportOf(
  ctx: Context,
  bug: bugs.NewBug,
  build: Build,
  input: BugInput,
): Promise<Omit<Filed, 'bug_uid'>> {
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
  caller: AccountCaller,
  input: InputOf<typeof contract.listBugTickets>,
): Promise<OutputOf<typeof contract.listBugTickets>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { status, cursor, limit = PAGE_SIZE } = input;
  const list = ['bugs', game.game_id, status ?? null];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const { page, last } = cutPage(
    await bugs.listBugs(ctx.db, game.game_id, status, { before, limit: limit + 1 }),
    limit,
  );
  return {
    bugs: await recordsOf(ctx, game, page),
    next_cursor: last === null ? null : writeCursor(list, [last.bug_id]),
  };
}

export async function getBugTicket(
  ctx: Context,
  caller: AccountCaller,
  { uid, bug_uid }: InputOf<typeof contract.getBugTicket>,
): Promise<Ticket> {
  const { game } = await requireMember(ctx, caller, uid);
  return recordOf(ctx, game, await bugs.findBug(ctx.db, game.game_id, bug_uid));
}

/** Of each of the games that has open tickets, how many: at most LIMITS.bugsCounted. */
export async function countOpenBugs(ctx: Context, gameIds: readonly string[]): Promise<Map<string, number>> {
  const counted = await bugs.countOpen(ctx.db, gameIds, LIMITS.bugsCounted);
  return new Map(counted.map(({ game_id, open }) => [game_id, open]));
}

export async function updateBugTicket(
  ctx: Context,
  caller: AccountCaller,
  { uid, bug_uid, status }: InputOf<typeof contract.updateBugTicket>,
): Promise<Ticket> {
  const { game } = await requireMember(ctx, caller, uid);
  const bug = await bugs.updateStatus(ctx.db, game.game_id, bug_uid, { status, now: ctx.clock.now() });
  return recordOf(ctx, game, bug);
}

async function recordOf(ctx: Context, game: Game, bug: bugs.BugRow | undefined): Promise<Ticket> {
  if (bug === undefined) throw new ApiError(4040, 'bug_uid: this game has no such bug ticket.');
  const [record] = await recordsOf(ctx, game, [bug]);
  return record!;
}

/** A report that was deleted, or whose time is over, is not named any more. */
async function recordsOf(ctx: Context, game: Game, rows: readonly bugs.BugRow[]): Promise<Ticket[]> {
  const named = rows.flatMap(({ crash_id }) => crash_id ?? []);
  const kept = await existingReports(ctx, game.game_id, named);
  return rows.map(({ bug_id, crash_id, filed_at, updated_at, ...bug }) => ({
    bug_uid: bug_id,
    ...bug,
    crash_id: crash_id !== null && kept.has(crash_id) ? crash_id : null,
    filed_at: filed_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }));
}
