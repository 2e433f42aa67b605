// Answers what became of files that sentry-cli uploads, and enqueues a job for those whose chunks are all there. The
// client asks again each second until no file is pending.
//
// - not_found: some chunks are missing, which the client then sends.
// - created: a job is queued, which puts the chunks together.
// - assembling: the file is stored, and is being converted, compiled or checked.
// - ok: reports use it, or a richer file of the same module.
// - error: it can't be used, for the reason in `detail`.
import { createHash } from 'node:crypto';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { uploadSymbols } from '@chauffeur/contract/operations/symbols';
import { findProblem } from '@chauffeur/contract/validate';
import { debugIdOf } from '@chauffeur/sentry/ids';
import Type, { type Static } from 'typebox';
import type { Context } from '../../../context.ts';
import { HOUR, MINUTE } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { countUse } from '../../../kernel/limits/rate-limit.ts';
import { lockGame, requireVerifiedOwner } from '../../../people/game-access/game-access.ts';
import { auditChange, recordOperation } from '../../../request/audit.ts';
import { isObject } from '../../../request/json.ts';
import { toShownName } from '../../symbols/store-text.ts';
import type { Project } from '../releases/releases.ts';
import * as sql from './files.sql.ts';

const SHA1 = '^[0-9a-f]{40}$';
const Sha1 = Type.String({ pattern: SHA1 });
const MAX_NAME_LENGTH = 1000;
const Chunks = Type.Array(Sha1, { maxItems: LIMITS.sentryFileChunks });
const DebugFile = Type.Object({
  name: Type.String({ maxLength: MAX_NAME_LENGTH }),
  debug_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
  chunks: Chunks,
});
const optionalName = Type.Optional(Type.Union([Type.String({ maxLength: 250 }), Type.Null()]));
const Bundle = Type.Object({
  checksum: Sha1,
  chunks: Chunks,
  version: optionalName,
  dist: optionalName,
});

export type FilePayload = { gameId: string; sha1: string };

export const assembleJob = defineJob<FilePayload>('sentry-files:assemble', { attempts: 8, lane: 'long' });

type State = 'not_found' | 'created' | 'assembling' | 'ok' | 'error';
export type Answer = {
  readonly state: State;
  readonly missingChunks: readonly string[];
  readonly detail: string | null;
  readonly dif?: object | null;
};

/** Throws `invalid` for a body of another form, and what `assemble` throws. */
export async function assembleDebugFiles(
  ctx: Context,
  project: Project,
  body: unknown,
): Promise<Record<string, Answer>> {
  if (!isObject(body)) throw errors.invalid('body: must be of type object.');
  const files = Object.entries(body);
  if (files.length > LIMITS.sentryFiles)
    throw errors.invalid(`body: more than ${LIMITS.sentryFiles} files. Send them in several calls.`);
  const wanted = files.map(([sha1, file]) => newFileOf(sha1, file));
  const answers = await assemble(ctx, project, wanted);
  return Object.fromEntries(wanted.map((file) => [file.sha1, answers.get(file.sha1)!]));
}

function newFileOf(sha1: string, file: unknown): sql.NewFile {
  const problem = findProblem(Sha1, sha1) ?? findProblem(DebugFile, file);
  if (problem !== null) throw errors.invalid(problem);
  const { name, debug_id, chunks } = file as Static<typeof DebugFile>;
  return {
    sha1,
    name: name === '' || name === BUNDLE_NAME ? 'file' : name,
    debugId: debugIdOf(debug_id) ?? '',
    release: '',
    dist: '',
    chunks,
  };
}

/** The same for a bundle of scripts and source maps. */
export async function assembleBundle(ctx: Context, project: Project, body: unknown): Promise<Answer> {
  const problem = findProblem(Bundle, body);
  if (problem !== null) throw errors.invalid(problem);
  const { checksum: sha1, chunks, version, dist } = body as Static<typeof Bundle>;
  const file = { sha1, name: BUNDLE_NAME, debugId: '', release: version ?? '', dist: dist ?? '', chunks };
  const { dif: _, ...answer } = (await assemble(ctx, project, [file])).get(sha1)!;
  return answer;
}

/** The name of all bundles of scripts. No debug file has it. */
export const BUNDLE_NAME = 'artifact bundle';

/** Throws `ownerNotVerified`, and `limitReached` and `invalid` for too many files. */
async function assemble(
  ctx: Context,
  project: Project,
  wanted: readonly sql.NewFile[],
): Promise<ReadonlyMap<string, Answer>> {
  const { gameId } = project;
  await requireVerifiedOwner(ctx, gameId);
  if (wanted.flatMap(({ chunks }) => chunks).length > LIMITS.sentryChunks)
    throw errors.invalid(`chunks: more than ${LIMITS.sentryChunks} in all. Upload fewer files at once.`);
  const now = ctx.clock.now();
  const known = await readAnswers(ctx, gameId, wanted);
  const unknown = wanted.filter(({ sha1 }) => !known.has(sha1));
  if (unknown.length === 0) return known;
  const chunks = [...new Set(unknown.flatMap((file) => file.chunks))];
  const present = await sql.touchChunks(ctx.db, gameId, chunks, now);
  const complete = unknown.filter((file) => file.chunks.length > 0 && file.chunks.every((sha1) => present.has(sha1)));
  const queued = complete.length === 0 ? new Set<string>() : await enqueue(ctx, project, complete);
  const answers = unknown.map((file) => [file.sha1, answerOfNew(file, present, queued)] as const);
  return new Map([...known, ...answers]);
}

const EMPTY = createHash('sha1').digest('hex');

function answerOfNew({ sha1, chunks }: sql.NewFile, present: ReadonlySet<string>, queued: ReadonlySet<string>): Answer {
  if (queued.has(sha1)) return { state: 'created', missingChunks: [], detail: null };
  const missingChunks = [...new Set(chunks)].filter((chunk) => !present.has(chunk));
  if (missingChunks.length > 0) return { state: 'not_found', missingChunks, detail: null };
  const detail = sha1 === EMPTY ? 'The file is empty.' : 'The file has no chunks.';
  return { state: 'error', missingChunks, detail };
}

/** Adds files and their jobs. Returns the hashes of the queued ones. */
async function enqueue(ctx: Context, { caller, gameId }: Project, files: readonly sql.NewFile[]): Promise<Set<string>> {
  const now = ctx.clock.now();
  const limit = { name: 'symbol uploads', max: ctx.config.limitSymbolUploads, windowSeconds: HOUR / 1000 } as const;
  await countUse(ctx, ctx.db, gameId, limit);
  return recordOperation(ctx, { operation: uploadSymbols, caller, input: {} }, () =>
    transact(ctx.db, async (tx) => {
      await lockGame(tx, gameId);
      // The chunks can't be swept between this and the commit, and not after it, because the file is queued.
      const present = await sql.touchChunks(tx, gameId, [...new Set(files.flatMap(({ chunks }) => chunks))], now);
      const complete = files.filter(({ chunks }) => chunks.every((sha1) => present.has(sha1)));
      for (const file of complete) {
        if (!(await sql.insertFile(tx, gameId, { file, keyRef: caller.keyRef, now }))) continue;
        const { sha1 } = file;
        await addJob(tx, assembleJob, { gameId, sha1 }, `${assembleJob.task}/${gameId}/${sha1}`);
      }
      if ((await sql.countFiles(tx, gameId)) > MAX_FILES)
        throw errors.invalid('The game has too many files of sentry-cli. Wait until old ones are forgotten.');
      auditChange(
        'files',
        null,
        complete.map(({ name }) => toShownName(name)),
      );
      return new Set(complete.map(({ sha1 }) => sha1));
    }),
  );
}

/** Each takes a row of 300 bytes. */
const MAX_FILES = 100_000;

/** A client that still asks keeps the reason why a file failed. After that, the file can be sent again. */
const PROBLEM_LIFE = MINUTE;

/** The answers for known files. Files to be sent again are forgotten, and left out. */
async function readAnswers(ctx: Context, gameId: string, wanted: readonly sql.NewFile[]): Promise<Map<string, Answer>> {
  const sha1s = wanted.map(({ sha1 }) => sha1);
  const files = await sql.listFiles(ctx.db, gameId, sha1s);
  if (files.length === 0) return new Map();
  const now = ctx.clock.now();
  const outcomes = await readOutcomes(ctx, gameId, files);
  const answers = new Map<string, Answer>();
  for (const file of files) {
    const answer = answerOf(file, outcomes, now);
    if (answer !== null) answers.set(file.sha1, answer);
  }
  await sql.forgetFiles(
    ctx.db,
    gameId,
    files.filter(({ sha1 }) => !answers.has(sha1)).map(({ sha1 }) => sha1),
  );
  await sql.touchFiles(ctx.db, gameId, [...answers.keys()], now);
  return answers;
}

type Outcomes = {
  readonly byChecksum: ReadonlyMap<string, readonly sql.OutcomeRow[]>;
  /** Whether the symbols that the game has with a debug id are compiled. */
  readonly knownIds: ReadonlyMap<string, boolean>;
  readonly mappings: ReadonlyMap<string, sql.MappingRow>;
};

async function readOutcomes(ctx: Context, gameId: string, files: readonly sql.FileRow[]): Promise<Outcomes> {
  const checksums = files.flatMap(({ checksum }) => (checksum === null ? [] : [checksum]));
  const outcomes = checksums.length === 0 ? [] : await sql.listOutcomes(ctx.db, gameId, checksums);
  const found = new Set(outcomes.map(({ checksum }) => checksum));
  const without = files.filter(({ checksum }) => checksum !== null && !found.has(checksum));
  const ids = without.map(({ debug_id }) => debug_id).filter((id) => id !== '');
  const mappingUids = files.flatMap(({ mapping_uids }) => mapping_uids);
  const mappings = mappingUids.length === 0 ? [] : await sql.listMappings(ctx.db, gameId, mappingUids);
  return {
    byChecksum: Map.groupBy(outcomes, ({ checksum }) => checksum),
    knownIds: ids.length === 0 ? new Map() : await sql.listKnownIds(ctx.db, gameId, ids),
    mappings: new Map(mappings.map((mapping) => [mapping.mapping_uid, mapping])),
  };
}

const NOT_USED = 'Nothing of the file is used, or its symbols were deleted.';
const RICHER = 'Not needed: the game has a richer file of this module.';

/** Null for a file that has to be sent again. */
function answerOf(file: sql.FileRow, { byChecksum, knownIds, mappings }: Outcomes, now: Date): Answer | null {
  const { state, problem, checksum, mapping_uids: uids } = file;
  const answer = (of: State, detail: string | null = null, dif: object | null = null): Answer => ({
    state: of,
    missingChunks: [],
    detail,
    dif,
  });
  if (state === 'queued') return answer('assembling');
  if (state === 'failed') return isRecent(file.asked_at, now) ? answer('error', problem) : null;
  if (checksum === null) {
    const found = uids.map((uid) => mappings.get(uid)).filter((mapping) => mapping !== undefined);
    // Some or all were deleted, or replaced by those of another bundle.
    if (found.length === 0) return null;
    return ofStates(found, file, answer);
  }
  const outcomes = byChecksum.get(checksum) ?? [];
  if (outcomes.length > 0) return ofStates(outcomes, file, answer);
  const isCompiled = knownIds.get(file.debug_id);
  if (isCompiled !== undefined) return isCompiled ? answer('ok', RICHER, difOf(file, undefined)) : answer('assembling');
  return file.done_at !== null && isRecent(file.done_at, now) ? answer('error', NOT_USED) : null;
}

function isRecent(at: Date, now: Date): boolean {
  return Math.abs(now.getTime() - at.getTime()) < PROBLEM_LIFE;
}

type Make = (state: State, detail?: string | null, dif?: object | null) => Answer;

/** What several parts of a file say together: all have to be done, and one that is used is enough. */
function ofStates(parts: readonly (sql.OutcomeRow | sql.MappingRow)[], file: sql.FileRow, answer: Make): Answer {
  if (parts.some(({ state }) => state === 'stored' || state === 'converting')) return answer('assembling');
  const useful = parts.find((part) => part.state === 'compiled' && !('detail' in part && isUseless(part)));
  const problem = parts.map((part) => part.problem).find((text) => text !== null) ?? null;
  // Each part of a bundle is a separate file.
  const isIncomplete = parts.some((part) => !('detail' in part) && part.state === 'unreadable');
  if (useful === undefined || isIncomplete) return answer('error', problem ?? NOTHING);
  return answer('ok', null, difOf(file, 'detail' in useful ? useful : undefined));
}

const NOTHING = 'The file has neither functions nor unwind rules. Upload the unstripped program or its debug file.';

function isUseless({ detail, unwind }: sql.OutcomeRow): boolean {
  return detail === 0 && unwind === 0;
}

/** The file as Sentry describes it. */
function difOf(file: sql.FileRow, part: sql.OutcomeRow | undefined): object {
  const debugId = formatDebugId(file.debug_id || (part?.debug_id ?? ''));
  const features = [...((part?.detail ?? 0) > 0 ? ['debug'] : []), ...((part?.unwind ?? 0) > 0 ? ['unwind'] : [])];
  return {
    id: file.sha1,
    uuid: debugId,
    debugId,
    cpuName: part?.cpu || 'any',
    objectName: file.name,
    symbolType: 'native',
    headers: { 'Content-Type': 'application/octet-stream' },
    size: file.size ?? 0,
    sha1: file.sha1,
    dateCreated: file.created_at.toISOString(),
    data: { features },
  };
}

/** `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, with the age after another dash unless it is 0; null for any other text. */
function formatDebugId(id: string): string | null {
  const [, a, b, c, d, e, age] =
    /^([0-9A-F]{8})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{12})([0-9a-f]{1,8})$/.exec(id) ?? [];
  if (a === undefined) return null;
  return `${a}-${b}-${c}-${d}-${e}`.toLowerCase() + (age === '0' ? '' : `-${age}`);
}
