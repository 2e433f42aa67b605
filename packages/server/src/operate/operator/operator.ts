// What operators can see and do: the state of the service, failed jobs, accounts and the active settings.

import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/operator';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { countWaitingLookups, readFailingSources } from '../../crash/symbols/symbols.sql.ts';
import { HOUR } from '../../kernel/clock.ts';
import { changed, type Db, row, rows } from '../../kernel/database/db.ts';
import { listJobKinds } from '../../kernel/jobs/jobs.ts';
import { listProcesses } from '../../kernel/processes/presence.ts';
import { removeSecondFactor as resetFactors, setAccountDisabled } from '../../people/accounts/accounts.ts';
import { countHeldEmails } from '../../people/emails/emails.sql.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import { nameOfSource } from '../../symbol-sources.ts';
import { findProblems, type ServiceState } from './problems.ts';
import { readScanner, readServiceStorage } from './service-parts.ts';
import { showSettings } from './shown-settings.ts';
import * as jobs from './state.sql.ts';
import * as state from './state.sql.ts';

type User = OutputOf<typeof contract.verifyUser>;

const PAGE_SIZE = 50;
const MAX_LIMITS = 50;

export const getServiceState = handle(contract.getServiceState, async (ctx) => {
  const [queue, storage, kept, scanner, database, processes, totals, heldEmails, symbolServers] = await Promise.all([
    readQueue(ctx),
    readServiceStorage(ctx),
    state.countKept(ctx.db),
    readScanner(ctx),
    state.readDatabase(ctx.db),
    listProcesses(ctx.db),
    state.countTotals(ctx.db),
    countHeldEmails(ctx.db, ctx.clock.now()),
    readSymbolServers(ctx),
  ]);
  const facts = {
    at: ctx.clock.now().toISOString(),
    queue,
    storage: { ...storage, kept },
    scanner,
    database: { ...database, embedded: ctx.config.databaseUrl === undefined, replica: readReplicaState(ctx) },
    processes: processes.map(({ started_at, ...process }) => ({ ...process, started_at: started_at.toISOString() })),
    mail: {
      by: ctx.config.smtp === undefined ? ('outbox' as const) : ('smtp' as const),
      held_today: heldEmails,
    },
    symbol_servers: symbolServers,
    totals,
  };
  return { problems: findProblems(facts), ...facts };
});

/** Leaves out servers that are no longer in the settings. */
async function readSymbolServers({ db, config }: Context): Promise<ServiceState['symbol_servers']> {
  const [waiting, failing] = await Promise.all([countWaitingLookups(db), readFailingSources(db)]);
  const current = new Set(config.symbolSources?.map(nameOfSource));
  return {
    waiting,
    failing: failing
      .filter(({ source }) => current.has(source))
      .map(({ source: address, problem, paused_until: until }) => ({
        address,
        problem,
        paused_until: until?.toISOString() ?? null,
      })),
  };
}

function readReplicaState({ replica }: Context): ServiceState['database']['replica'] {
  if (replica === undefined) return null;
  const { state, lagSeconds } = replica.state();
  return { state, lag_seconds: lagSeconds };
}

async function readQueue(ctx: Context): Promise<ServiceState['queue']> {
  const lanes = new Map(listJobKinds().map(({ task, lane }) => [task, lane]));
  const counts = await jobs.countJobs(ctx.db);
  const kinds = counts.map(({ oldest_waiting_at: oldest, ...kind }) => ({
    ...kind,
    lane: lanes.get(kind.task) ?? null,
    oldest_waiting_at: oldest?.toISOString() ?? null,
  }));
  const sum = (state: 'waiting' | 'running' | 'failed') => kinds.reduce((total, kind) => total + kind[state], 0);
  const oldest = kinds.map((kind) => kind.oldest_waiting_at).filter((at) => at !== null);
  return {
    waiting: sum('waiting'),
    running: sum('running'),
    failed: sum('failed'),
    oldest_waiting_at: oldest.sort()[0] ?? null,
    kinds,
  };
}

export const listFailedJobs = handle(contract.listFailedJobs, async (ctx, { input: { cursor, limit = PAGE_SIZE } }) => {
  const list = ['failed jobs'];
  const [failedUs, jobId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'microseconds']);
  const before = failedUs === undefined || jobId === undefined ? null : { failedUs, jobId };
  const { page, last } = cutPage(await jobs.listFailed(ctx.db, before, limit + 1), limit);
  return {
    jobs: page.map((job) => ({
      job_id: String(job.job_id),
      task: job.task,
      tries: job.tries,
      error: job.error === null ? null : redactAddresses(job.error),
      failed_at: job.failed_at.toISOString(),
      created_at: job.created_at.toISOString(),
    })),
    next_cursor: last === null ? null : writeCursor(list, [last.failed_us, String(last.job_id)]),
  };
});

const MAX_ERROR_LENGTH = 2000;

/** Removes email addresses, because the errors of email servers contain those of recipients. */
function redactAddresses(error: string): string {
  return error.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '‹address›').slice(0, MAX_ERROR_LENGTH);
}

export const retryJobs = handle(contract.retryJobs, async (ctx, { input: { job_id } }) => {
  const retried = await jobs.retryFailed(ctx.db, job_id ?? null);
  if (job_id !== undefined && retried === 0) throw unknownJob();
  return { retried };
});

export const deleteFailedJob = handle(contract.deleteFailedJob, async (ctx, { input: { job_id } }) => {
  const deleted = await jobs.deleteFailed(ctx.db, job_id);
  if (deleted === 0) throw unknownJob();
  return { deleted };
});

function unknownJob(): ApiError {
  return errors.notFound('job_id: no failed job has this id. It may have been retried or deleted.');
}

export const listUsers = handle(contract.listUsers, async (ctx, { input: { search, cursor, limit = PAGE_SIZE } }) => {
  return findUsers(ctx, { search, cursor, limit });
});

type UserFilter = { search?: string | undefined; cursor?: string | undefined; limit: number; disabled?: boolean };

/** A page of the accounts, newest first, or only of the disabled ones. Throws `invalid` for a wrong cursor. */
export async function findUsers(ctx: Context, { search, cursor, limit, disabled = false }: UserFilter) {
  const list = ['users', search ?? null];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['text']);
  const found = await readUsers(ctx.db, { search: search ?? null, disabled }, { before, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return { users: page.map(userOf), next_cursor: last === null ? null : writeCursor(list, [last.user_id]) };
}

export const verifyUser = handle(contract.verifyUser, async (ctx, { input }) => {
  await markUserVerified(ctx.db, input.user_id);
  return requireUser(ctx, input.user_id);
});

export const signUserOut = handle(contract.signUserOut, async (ctx, { input }) => {
  await endUserSessions(ctx.db, input.user_id);
  return requireUser(ctx, input.user_id);
});

export const disableUser = handle(contract.disableUser, async (ctx, { caller, input }) => {
  await setAccountDisabled(ctx, input.user_id, true, caller.user.id);
  return requireUser(ctx, input.user_id);
});

export const enableUser = handle(contract.enableUser, async (ctx, { caller, input }) => {
  await setAccountDisabled(ctx, input.user_id, false, caller.user.id);
  return requireUser(ctx, input.user_id);
});

export const resetSecondFactor = handle(contract.resetSecondFactor, async (ctx, { input }) => {
  await resetFactors(ctx, input.user_id);
  return requireUser(ctx, input.user_id);
});

async function requireUser(ctx: Context, userId: string): Promise<User> {
  const user = await findUserById(ctx.db, userId);
  if (user === undefined) throw errors.notFound('user_id: no account has this id.');
  return userOf(user);
}

function userOf({ created_at, disabled_at, ...user }: UserRow): User {
  return { ...user, created_at: created_at.toISOString(), disabled_at: disabled_at?.toISOString() ?? null };
}

/** The active settings with these variables, without secrets. */
export function settingsNamed(ctx: Context, variables: readonly string[]): ReturnType<typeof showSettings> {
  return showSettings(ctx.config).filter(({ variable }) => variables.includes(variable));
}

export const getSettings = handle(contract.getSettings, async (ctx) => {
  const { limitUploads, limitChunks, limitMedia, limitSymbolUploads, limitSymbolLookups } = ctx.config;
  const maxima: Readonly<Record<string, number>> = {
    uploads: limitUploads,
    chunks: limitChunks,
    'media uploads': limitMedia,
    'symbol uploads': limitSymbolUploads,
    'symbol look-ups': limitSymbolLookups,
  };
  // All of these limits are per hour. Others, of which some are per day, have counters too.
  const since = new Date(Math.floor(ctx.clock.now().getTime() / HOUR) * HOUR);
  const used = await state.listUsedLimits(ctx.db, { names: Object.keys(maxima), since, limit: MAX_LIMITS });
  return {
    settings: showSettings(ctx.config),
    limits_in_use: used.map((limit) => ({
      ...limit,
      most: maxima[limit.limit] ?? 0,
      since: limit.since.toISOString(),
    })),
  };
});

export type UserRow = {
  user_id: string;
  name: string;
  email: string;
  verified: boolean;
  operator: boolean;
  disabled_at: Date | null;
  second_factor: boolean;
  games: number;
  sessions: number;
  created_at: Date;
};

const columns = sql`id as user_id, name, email, email_verified as verified, operator, created_at, disabled_at,
  two_factor_enabled or exists (select from user_passkeys where user_id = users.id) as second_factor,
  (select count(*) from games where owner_id = users.id) as games,
  (select count(*) from user_sessions where user_id = users.id and expires_at > now()) as sessions`;

/** The accounts, newest first, because ids start with their creation time. */
function readUsers(
  db: Db,
  { search, disabled }: { search: string | null; disabled: boolean },
  { before, limit }: { before: string | null; limit: number },
): Promise<UserRow[]> {
  return rows(
    db,
    sql<UserRow>`select ${columns} from users
      where (${before}::text is null or id < ${before})
        and (${search}::text is null or position(lower(${search}) in lower(name || ' ' || email)) > 0)
        and (disabled_at is not null or not ${disabled}::boolean)
      order by id desc limit ${limit}`,
  );
}

export function findUserById(db: Db, userId: string): Promise<UserRow | undefined> {
  return row(db, sql<UserRow>`select ${columns} from users where id = ${userId}`);
}

export async function markUserVerified(db: Db, userId: string): Promise<void> {
  await changed(db, sql`update users set email_verified = true, updated_at = now() where id = ${userId}`);
}

export async function endUserSessions(db: Db, userId: string): Promise<void> {
  await changed(db, sql`delete from user_sessions where user_id = ${userId}`);
}
