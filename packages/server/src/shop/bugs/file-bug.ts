// Files bug tickets of players, with or without an account, optionally with a dump and a log.
import { createHmac } from 'node:crypto';
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { errors, isError } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/bugs';
import type { Caller, Context } from '../../context.ts';
import { openReport } from '../../crash/crashes/crashes.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { countLimit, countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { type Alert, raiseAlerts } from '../../notify/alerts/alerts.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { type Game, requireVisible, unknownGame } from '../../people/game-access/game-access.ts';
import { countPublicPost, networkOf } from '../../request/address-limit.ts';
import { requestLanguage } from '../../request/audit.ts';
import { perContext } from '../../request/per-context.ts';
import { handle } from '../../request/route.ts';
import { type Build, findBuild } from '../../ship/builds/builds.ts';
import * as sql from './bugs.sql.ts';
import { acceptsGuests } from './bugs.sql.ts';
import { askReporter, resumeReplies, ticketPage } from './reporters.ts';
import { screenshotUploads } from './screenshots.ts';

type FiledBug = OutputOf<typeof contract.fileBug>;
type BugInput = InputOf<typeof contract.fileBug>;
type Reporter = Pick<sql.NewBug, 'userId' | 'filedBy' | 'email'>;

/** The maximum number of characters of a message in an alert. */
const ALERT_TEXT = 200;
const SECONDS_A_DAY = DAY / SECOND;
/** The limit of all addresses together. Players with an account can still file tickets beyond it. */
const GUEST_LIMIT = { name: 'bug tickets without an account', max: 500, windowSeconds: SECONDS_A_DAY } as const;

const addressKeyOf = perContext(({ secret }) => deriveKey(secret, 'bug tickets of addresses'));

export const fileBug = handle(contract.fileBug, async (ctx, { caller, input }) => {
  const game = await findVisible(ctx, caller, input.uid);
  const { user } = caller;
  const reporter = { userId: user.id, filedBy: user.name, email: null };
  return openTicket(ctx, game, reporter, input, async (tx) => {
    await countTicket(ctx, tx, user.id);
    await resumeReplies(tx, game.game_id, user.email);
  });
});

/** Throws `notAllowed` if the game takes tickets only from players with an account. */
export const fileBugAsGuest = handle(
  contract.fileBugAsGuest,
  async (ctx, { caller, input }) => {
    const game = await findVisible(ctx, caller, input.uid);
    if (!(await acceptsGuests(ctx.db, game.game_id)))
      throw errors.notAllowed('This game takes bug reports only from players with an account. Sign in first.');
    const reporter = { userId: null, filedBy: nameOf('name', input.name), email: input.email ?? null };
    return openTicket(ctx, game, reporter, input, (tx) => countUse(ctx, tx, game.game_id, GUEST_LIMIT));
  },
  countGuestTicket,
);

/**
 * Counts a ticket without an account, also one that is refused afterwards. Throws `limitReached` with `retry_after` in
 * seconds beyond CHAUFFEUR_LIMIT_BUGS. The address is not stored, only a code of it that cannot be computed without the
 * secret.
 */
export async function countGuestTicket(ctx: Context, request: { readonly ip: string }): Promise<void> {
  countPublicPost(ctx, request);
  const subject = createHmac('sha256', addressKeyOf(ctx)).update(networkOf(request.ip)).digest('base64url');
  const max = ctx.config.limitBugs;
  await countUse(ctx, ctx.db, subject, {
    name: 'bug tickets',
    scope: 'IP address',
    max,
    windowSeconds: SECONDS_A_DAY,
  });
}

/** The game, if the caller may see it: drafts are only visible to members. */
async function findVisible(ctx: Context, caller: Caller, ref: string): Promise<Game> {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw unknownGame();
  await requireVisible(ctx, game, caller);
  return game;
}

async function openTicket(
  ctx: Context,
  game: Game,
  reporter: Reporter,
  input: BugInput,
  prepare: (tx: Tx) => Promise<void>,
): Promise<FiledBug> {
  const build = await findRequestedBuild(ctx, game, input);
  const bug = bugOf(ctx, reporter, game, build, input);
  const number = await transact(ctx.db, async (tx) => {
    await prepare(tx);
    const given = await sql.insertBug(tx, bug);
    await raiseAlerts(tx, bug.gameId, [alertOf(bug, build, input.screenshots ?? 0)]);
    if (bug.email !== null) await askReporter(ctx, tx, game, { email: bug.email, language: bug.language });
    return given;
  });
  const filed = { bug_uid: bug.bugId, number, page_url: ticketPage(ctx, bug.gameId, bug.bugId) };
  const { screenshots: count = 0 } = input;
  const shots = count === 0 ? {} : { screenshots: screenshotUploads(ctx, bug.gameId, bug.bugId, count) };
  if (build === null || !wantsReport(input)) return { ...filed, crash_id: null, uploads: shots };
  try {
    const { crash_id, uploads } = await openReportOf(ctx, bug, build, input);
    return { ...filed, crash_id, uploads: { ...uploads, ...shots } };
  } catch (error) {
    // The player will file the bug again, and the developer should not see it twice.
    await sql.deleteBug(ctx.db, game.game_id, bug.bugId);
    throw error;
  }
}

async function findRequestedBuild(ctx: Context, game: Game, input: BugInput): Promise<Build | null> {
  if (input.build_id === undefined) {
    if (wantsReport(input))
      throw errors.invalid('build_id: required with has_dump or has_log. Send the id of the build that crashed.');
    return null;
  }
  const build = await findBuild(ctx.db, game.game_id, input.build_id);
  if (build === null) throw errors.unknownBuild('build_id: this game has no such build.');
  return build;
}

function wantsReport({ has_dump = false, has_log = false }: BugInput): boolean {
  return has_dump || has_log;
}

function bugOf(ctx: Context, reporter: Reporter, game: Game, build: Build | null, input: BugInput): sql.NewBug {
  const filedAt = ctx.clock.now();
  return {
    ...reporter,
    language: requestLanguage(),
    gameId: game.game_id,
    bugId: newId(filedAt.getTime()),
    title: nameOf('title', input.title, LIMITS.bugTitleLength),
    message: input.message,
    steps: input.steps?.trim() ?? '',
    buildId: build?.build_id ?? null,
    os: input.os === undefined ? (build?.os ?? null) : canonicalOs(input.os),
    arch: input.arch === undefined ? (build?.arch ?? null) : canonicalArch(input.arch),
    filedAt,
  };
}

/** A text on one line. Empty if it was not sent. Throws `invalid` for characters that do not belong in names. */
function nameOf(field: 'title' | 'name', text: string | undefined, maxLength?: number): string {
  if (text === undefined) return '';
  const problem = findDisplayNameProblem(text, maxLength);
  if (problem !== null) throw errors.invalid(`${field}: ${problem}.`);
  return tidyDisplayName(text);
}

/** Throws `limitReached` with `retry_after` if the player has reached the limit for a UTC day, over all games. */
async function countTicket(ctx: Context, tx: Tx, userId: string): Promise<void> {
  const limit = ctx.config.limitBugs;
  if (limit === 0) return;
  const now = ctx.clock.now().getTime();
  const day = Math.floor(now / DAY) * DAY;
  const isAllowed = (await sql.lockAndCount(tx, userId, new Date(day))) < limit;
  if (countLimit(ctx.metrics, 'bugs', isAllowed)) return;
  const retryAfter = Math.max(1, Math.ceil((day + DAY - now) / SECOND));
  const message = `You have reached the limit of ${limit} bugs a day. Try again in ${retryAfter} s.`;
  throw errors.limitReached(message, { data: { retry_after: retryAfter } });
}

/** `screenshots` is how many come with it. */
export function alertOf(
  { bugId, filedAt, filedBy, title, message, steps }: sql.NewBug,
  build: Build | null,
  screenshots: number,
): Alert {
  const text = title === '' ? message : title;
  return {
    kind: 'new_bug',
    subject: bugId,
    happenedAt: filedAt,
    data: {
      bug_id: bugId,
      message: startOf(text),
      filed_by: filedBy === '' ? 'a player' : filedBy,
      bug: {
        build: build && { version: build.version, os: build.os, arch: build.arch },
        steps: steps === '' ? null : startOf(steps),
        screenshots,
      },
    },
  };
}

function startOf(text: string): string {
  return Array.from(text.slice(0, 2 * ALERT_TEXT))
    .slice(0, ALERT_TEXT)
    .join('');
}

/**
 * Begins a report with the files. Null beyond the game's daily limit of reports: the bug is then filed without files.
 */
async function openReportOf(
  ctx: Context,
  bug: sql.NewBug,
  build: Build,
  input: BugInput,
): Promise<Pick<FiledBug, 'crash_id' | 'uploads'>> {
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
    await sql.setCrash(ctx.db, bug.gameId, bug.bugId, reportId);
    return { crash_id: reportId, uploads };
  } catch (error) {
    if (isError(error, 'limitReached')) return { crash_id: null, uploads: {} };
    throw error;
  }
}
