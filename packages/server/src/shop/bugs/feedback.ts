// Files what players write in the feedback forms of Sentry's SDKs as bug tickets, and links each to the crash report that
// it is about, whichever arrives first. The address of a player is only used once a developer replies, and then first
// asked to be confirmed: anyone can send feedback with anyone's address.
import { createHmac, hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { errors, isError } from '@chauffeur/contract/errors';
import { redactUserPaths } from '@chauffeur/contract/home-folders';
import { MAX_IMAGE_BYTES } from '@chauffeur/contract/image-rules';
import { LIMITS } from '@chauffeur/contract/limits';
import { EMAIL_PATTERN } from '@chauffeur/contract/operations/fields';
import { cleanLine, cleanText } from '@chauffeur/contract/text';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { type EventReport, findReportsOfEvents } from '../../crash/sentry/sentry.sql.ts';
import type { SentFeedback, TakeFeedback } from '../../crash/sentry/sentry.ts';
import { bytesOfOpen } from '../../kernel/blobs/byte-source.ts';
import { PACKED_SUFFIX, readUnpacked } from '../../kernel/blobs/packed.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { changed, type Db, isMissingReference, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { isStorageFull } from '../../kernel/storage-full.ts';
import { raiseAlerts } from '../../notify/alerts/alerts.ts';
import { networkOf } from '../../request/address-limit.ts';
import { requestLanguage } from '../../request/audit.ts';
import { noteChange } from '../../request/game-changes.ts';
import { perContext } from '../../request/per-context.ts';
import { type Build, findBuild } from '../../ship/builds/builds.ts';
import { insertAttachment, type NewAttachment } from './attachments.ts';
import { acceptsGuests, insertBug, type NewBug } from './bugs.sql.ts';
import { alertOf } from './file-bug.ts';
import { insertScreenshot, type SentImage } from './screenshots.sql.ts';
import { encodeScreenshotJob, TICKET_PREFIX } from './screenshots.ts';

/** The tickets of a game from feedback in a day. Those of players on the website have a separate limit. */
const GAME_LIMIT = { name: 'feedback', max: 500, windowSeconds: DAY / SECOND } as const;
/** Of these, those from one address, which may be that of many players. */
const ADDRESS_LIMIT = { ...GAME_LIMIT, max: 100, scope: 'IP address' } as const;

const addressKeyOf = perContext(({ secret }) => deriveKey(secret, 'feedback of addresses'));

/** Throws `unknownDsn` if the game was deleted, and errors of the store and the database. */
export const fileFeedback: TakeFeedback = async (ctx, request, feedback) => {
  const { gameId, words } = feedback;
  const name = hash('sha256', feedback.name, 'buffer');
  if (await isFiled(ctx.db, gameId, name)) return 'repeated';
  if (!(await acceptsGuests(ctx.db, gameId))) return 'not_accepted';
  if (!(await isWithinLimits(ctx, request, gameId))) return 'over_limit';
  const report = words.eventId === null ? undefined : await findReport(ctx.db, gameId, words.eventId);
  const { bug, build, placeId } = await ticketOf(ctx, feedback, report);
  const eventId = report === undefined ? words.eventId : null;
  const files: CopiedFiles = { screenshots: [], attachments: [] };
  try {
    await copyFiles(ctx, gameId, feedback.files, files);
    await transact(ctx.db, (tx) => insertTicket(tx, { bug, build, name, eventId, placeId }, files));
  } catch (error) {
    const isRepeated = error instanceof RepeatedError;
    // After other errors, the ticket may have been written, so its files are left to the sweep.
    if (isRepeated || isMissingReference(error) || isStorageFull(error)) await deleteFiles(ctx, files);
    if (isRepeated) return 'repeated';
    if (isMissingReference(error)) throw errors.unknownDsn('The game of this key was deleted.', { cause: error });
    throw error;
  }
  noteChange(ctx, gameId, 'bugs');
  return 'taken';
};

async function isFiled(db: Db, gameId: string, name: Buffer): Promise<boolean> {
  const found = await rows(db, sql`select from bug_feedback where game_id = ${gameId} and name = ${name}`);
  return found.length > 0;
}

/** The address is not stored, only a code of it that cannot be computed without the secret. */
async function isWithinLimits(ctx: Context, { ip }: { readonly ip: string }, gameId: string): Promise<boolean> {
  const address = createHmac('sha256', addressKeyOf(ctx))
    .update(`${gameId} ${networkOf(ip)}`)
    .digest('base64url');
  try {
    // That of a request that was deferred isn't known.
    if (ip !== '') await countUse(ctx, ctx.db, address, ADDRESS_LIMIT);
    await countUse(ctx, ctx.db, gameId, GAME_LIMIT);
    return true;
  } catch (error) {
    if (isError(error, 'limitReached')) return false;
    throw error;
  }
}

async function findReport(db: Db, gameId: string, eventId: string): Promise<EventReport | undefined> {
  return (await findReportsOfEvents(db, gameId, [eventId])).get(eventId);
}

type FeedbackTicket = { readonly bug: NewBug; readonly build: Build | null; readonly placeId: string | null };

/** The old form says nothing about the build, which is then that of the report. */
async function ticketOf(
  ctx: Context,
  { gameId, words, build: chosen, os, arch }: SentFeedback,
  report: EventReport | undefined,
): Promise<FeedbackTicket> {
  const buildId = chosen?.buildId ?? report?.build_id ?? null;
  const build = buildId === null ? null : await findBuild(ctx.db, gameId, buildId);
  const filedAt = ctx.clock.now();
  const bug: NewBug = {
    gameId,
    bugId: newId(filedAt.getTime()),
    userId: null,
    filedBy: playerNameOf(words.name),
    email: addressOf(words.email),
    language: requestLanguage(),
    title: '',
    message: redactUserPaths(cleanText(words.message)),
    steps: '',
    buildId,
    os: os || report?.os || build?.os || null,
    arch: arch || report?.arch || build?.arch || null,
    crashId: report?.report_id ?? null,
    filedAt,
  };
  return { bug, build, placeId: build === null ? buildId : null };
}

/** Empty if it can't be the name of a player. */
function playerNameOf(sent: string): string {
  const name = tidyDisplayName([...cleanLine(sent)].slice(0, LIMITS.displayNameLength).join(''));
  return findDisplayNameProblem(name) === null ? name : '';
}

const ADDRESS = new RegExp(EMAIL_PATTERN, 'u');

/** Null if it isn't an address: games pass on whatever players write. */
function addressOf(sent: string): string | null {
  return sent.length <= LIMITS.emailLength && ADDRESS.test(sent) ? sent : null;
}

type CopiedFiles = {
  readonly screenshots: (SentImage & { readonly id: string })[];
  readonly attachments: NewAttachment[];
};

/**
 * A ticket shows only so many images; further ones are files to download. Adds each copy to `copies` before it is
 * written, so that the caller can delete them. Leaves out what the storage has no room for: clients send nothing again.
 */
async function copyFiles(
  ctx: Context,
  gameId: string,
  files: SentFeedback['files'],
  copies: CopiedFiles,
): Promise<void> {
  const now = ctx.clock.now().getTime();
  // They are listed by their ids.
  const ids = files.map(() => newId(now)).sort();
  for (const [no, { name, kind, key: source, size }] of files.entries()) {
    const id = ids[no]!;
    const key = `${TICKET_PREFIX}${gameId}/${newId()}`;
    const isShown = size <= MAX_IMAGE_BYTES && copies.screenshots.length < LIMITS.bugScreenshots;
    if (kind === 'image' && isShown) {
      copies.screenshots.push({ id, name, key, size });
      if (!(await putIfRoom(ctx, key, () => readUnpacked(ctx.blobs, source)))) copies.screenshots.pop();
    } else {
      const packedKey = `${key}${PACKED_SUFFIX}`;
      copies.attachments.push({ id, name, key: packedKey, size });
      if (!(await putIfRoom(ctx, packedKey, () => ctx.blobs.read(source)))) copies.attachments.pop();
    }
  }
}

/** Returns false if the storage is full. */
async function putIfRoom(ctx: Context, key: string, open: () => Promise<Readable>): Promise<boolean> {
  const source = await open();
  try {
    await ctx.blobs.put(key, bytesOfOpen(source));
    return true;
  } catch (err) {
    if (!isStorageFull(err)) throw err;
    ctx.log.warn({ err }, 'a file of feedback was left out');
    await ctx.blobs.delete(key);
    return false;
  } finally {
    source.destroy();
  }
}

async function deleteFiles(ctx: Context, { screenshots, attachments }: CopiedFiles): Promise<void> {
  for (const { key } of [...screenshots, ...attachments])
    await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'a file of a bug ticket was not deleted'));
}

/** Another request has filed the same feedback in the meantime. */
class RepeatedError extends Error {
  override readonly name = 'RepeatedError';
}

type NewTicket = FeedbackTicket & { readonly name: Buffer; readonly eventId: string | null };

async function insertTicket(
  tx: Tx,
  { bug, build, name, eventId, placeId }: NewTicket,
  { screenshots, attachments }: CopiedFiles,
): Promise<void> {
  const { gameId, bugId } = bug;
  await insertBug(tx, bug);
  const added = await changed(
    tx,
    sql`insert into bug_feedback (game_id, name, bug_id, filed_at, event_id, place_id)
      values (${gameId}, ${name}, ${bugId}, ${bug.filedAt}, ${eventId}, ${placeId}) on conflict do nothing`,
  );
  if (added === 0) throw new RepeatedError();
  for (const attachment of attachments) await insertAttachment(tx, bug, attachment);
  for (const { id, ...image } of screenshots) {
    await insertScreenshot(tx, { gameId, bugId, screenshotId: id }, image);
    await addJob(tx, encodeScreenshotJob, { gameId, screenshotId: id });
  }
  await raiseAlerts(tx, gameId, [alertOf(bug, build, screenshots.length)]);
}

/** A report may come when the game is next started. After this time, no one waits for it. */
const WAIT = 30 * DAY;
/** The newest of a game, in one run. */
const MAX_WAITING = 1000;

export const linkFeedbackJob = defineJob('bugs:link-feedback', { attempts: 3, cron: '* * * * *' }, linkFeedback);

/** Links tickets to reports that arrived after them, and to builds that got their release. Safe to run twice. */
export async function linkFeedback(ctx: Context): Promise<void> {
  for (const { game_id: gameId } of await moveToBuilds(ctx.db)) noteChange(ctx, gameId, 'bugs');
  const since = new Date(ctx.clock.now().getTime() - WAIT);
  for (const { game_id: gameId } of await listWaitingGames(ctx.db, since)) {
    const waiting = await listWaiting(ctx.db, gameId, since);
    const reports = await findReportsOfEvents(ctx.db, gameId, [...new Set(waiting.map(({ event_id }) => event_id))]);
    for (const { bug_id: bugId, event_id: eventId } of waiting) {
      const report = reports.get(eventId);
      if (report !== undefined) await linkTicket(ctx, gameId, bugId, report);
    }
    if (reports.size > 0) noteChange(ctx, gameId, 'bugs');
  }
}

/** Returns the games of the tickets whose unregistered release was assigned to a build. */
function moveToBuilds(db: Db): Promise<{ game_id: string }[]> {
  return rows(
    db,
    sql<{ game_id: string }>`with assigned as (
        update bug_feedback set place_id = null from assigned_releases assigned
        where bug_feedback.place_id is not null and assigned.game_id = bug_feedback.game_id
          and assigned.place_id = bug_feedback.place_id
        returning bug_feedback.game_id, bug_id, assigned.place_id, assigned.build_id
      ), moved as (
        update bug_tickets set build_id = assigned.build_id from assigned
        where bug_tickets.game_id = assigned.game_id and bug_tickets.bug_id = assigned.bug_id
          and bug_tickets.build_id = assigned.place_id
        returning bug_tickets.game_id
      ) select distinct game_id from moved`,
  );
}

function listWaitingGames(db: Db, since: Date): Promise<{ game_id: string }[]> {
  return rows(
    db,
    sql<{ game_id: string }>`select distinct game_id from bug_feedback
      where event_id is not null and filed_at >= ${since}::timestamptz`,
  );
}

type Waiting = { bug_id: string; event_id: string };

function listWaiting(db: Db, gameId: string, since: Date): Promise<Waiting[]> {
  return rows(
    db,
    sql<Waiting>`select bug_id, event_id from bug_feedback
      where game_id = ${gameId} and event_id is not null and filed_at >= ${since}::timestamptz
      order by filed_at desc limit ${MAX_WAITING}`,
  );
}

/** What the ticket has already is kept. */
async function linkTicket(ctx: Context, gameId: string, bugId: string, report: EventReport): Promise<void> {
  const isRegistered = (await findBuild(ctx.db, gameId, report.build_id)) !== null;
  await transact(ctx.db, async (tx) => {
    await changed(
      tx,
      sql`update bug_feedback set event_id = null, place_id = case when exists (select from bug_tickets
            where bug_tickets.game_id = ${gameId} and bug_tickets.bug_id = ${bugId} and build_id is null)
          then ${isRegistered ? null : report.build_id}::uuid else place_id end
        where game_id = ${gameId} and bug_id = ${bugId}`,
    );
    await changed(
      tx,
      sql`update bug_tickets set crash_id = coalesce(crash_id, ${report.report_id}::uuid),
          build_id = coalesce(build_id, ${report.build_id}::uuid), os = coalesce(os, nullif(${report.os}, '')),
          arch = coalesce(arch, nullif(${report.arch}, ''))
        where game_id = ${gameId} and bug_id = ${bugId}`,
    );
  });
}
