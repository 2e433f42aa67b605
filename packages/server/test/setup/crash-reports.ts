// Crash reports for tests that read them, written by the features' own functions without a client or a dump.
import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { Frame, Report } from '@chauffeur/minidump/report';
import type { Context } from '../../src/context.ts';
import { facetIdsOf } from '../../src/crash/crashes/groups/facet-ids.ts';
import { type DumpSystem, facetsOf } from '../../src/crash/crashes/groups/facet-rules.ts';
import type { Grouping } from '../../src/crash/crashes/groups/grouping.ts';
import type { Excerpt, ExcerptFrame } from '../../src/crash/crashes/process/excerpt.ts';
import { groupMessages } from '../../src/crash/crashes/process/messages.job.ts';
import { rememberFunctions } from '../../src/crash/crashes/process/prepare-grouping.ts';
import { recordWalks } from '../../src/crash/crashes/process/process.job.ts';
import { createReport } from '../../src/crash/crashes/receive/create.ts';
import { storeFile } from '../../src/crash/crashes/receive/store-file.ts';
import { blobStemOf } from '../../src/crash/crashes/report/files.ts';
import { utcDayOf } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { callApi } from './api-calls.ts';
import { type ApiResponse, makeAdmin, makePlayer, type TestServer } from './server.ts';
import { register } from './uploads.ts';

export type Person = Awaited<ReturnType<typeof makePlayer>>;

type Call = { method?: string; body?: unknown };

/** Sends a request as `person`, or anonymously if null. */
export function callAs(
  server: TestServer,
  person: Person | null,
  path: string,
  { method = 'GET', body }: Call = {},
): Promise<ApiResponse> {
  return callApi(server, person?.headers ?? {}, method, path, body);
}

export type SharedGame = { uid: string; owner: Person; admin: Person };

/** Creates a game with an owner and an admin, who are signed in. */
export async function makeSharedGame(server: TestServer, visibility = 'public'): Promise<SharedGame> {
  const [owner, admin] = await Promise.all([makePlayer(server), makePlayer(server)]);
  const created = await callAs(server, owner, '/games', {
    method: 'POST',
    body: { name: `Game ${newId()}`, visibility },
  });
  const uid: string = created.body.data.game_uid;
  await makeAdmin(server, uid, admin);
  return { uid, owner, admin };
}

/** Registers a build of the game. Returns its id. */
export async function addBuild(
  server: TestServer,
  game: SharedGame,
  fields: { version?: string; os?: string; commit?: string } = {},
): Promise<string> {
  const issued = await callAs(server, game.owner, `/games/${game.uid}/deploy-keys`, { method: 'POST' });
  const { access_token, secret_key } = issued.body.data;
  return register(server, { keyHeaders: { 'x-access-token': access_token, 'x-secret-key': secret_key } }, fields);
}

export type ReportInput = {
  game: SharedGame;
  buildId: string;
  message?: string;
  user_message?: string;
  os?: string;
  metadata?: Record<string, string | number>;
  device_uid?: string;
  session_id?: string;
  /** Functions of the crashed thread, innermost first; the first names the group. Without a stack, the message does. */
  stack?: readonly string[];
  missing?: readonly string[];
  /** The modules that stopped the walk. */
  stops?: Excerpt['stops'];
  dump?: Uint8Array;
  log?: Uint8Array;
};

/** Writes a report and groups it. Returns its id. */
export async function addReport(ctx: Context, input: ReportInput): Promise<string> {
  const { game, buildId, message, user_message, os, metadata, device_uid, session_id, stack } = input;
  const reportId = newId(ctx.clock.now().getTime());
  const [dump, log] = await Promise.all([
    input.dump === undefined ? null : storeFile(ctx, reportId, 'dump', bytesOf(input.dump), { maxBytes: 1e6 }),
    input.log === undefined ? null : storeFile(ctx, reportId, 'log', bytesOf(input.log), { maxBytes: 1e6 }),
  ]);
  const details = {
    ...(message !== undefined && { message }),
    ...(user_message !== undefined && { user_message }),
    ...(os !== undefined && { os }),
    ...(metadata !== undefined && { metadata }),
    ...(device_uid !== undefined && { device_uid }),
    ...(session_id !== undefined && { session_id }),
  };
  await createReport(ctx, { gameId: game.uid, buildId, details, source: 'api', reportId, dump, log });
  if (stack === undefined) await groupMessages(ctx, { gameId: game.uid, reportIds: [reportId] });
  else await recordStack(ctx, game.uid, reportId, stack, input);
  return reportId;
}

/** Records the result of walking a report's dump, again if it has one, which may move it to another group. */
export async function recordStack(
  ctx: Context,
  gameId: string,
  reportId: string,
  stack: readonly string[],
  { missing = [], stops = [], metadata = {} }: Pick<ReportInput, 'missing' | 'stops' | 'metadata'> = {},
) {
  const stackKey = `${blobStemOf(reportId)}.${newId()}.json.zst`;
  const upload = await ctx.blobs.append(
    await ctx.blobs.begin(stackKey),
    bytesOf(zstdCompressSync(JSON.stringify(reportOf(stack)))),
  );
  await ctx.blobs.complete(upload);
  await rememberFunctions(ctx.db, gameId, stack, utcDayOf(ctx.clock.now()));
  const excerpt = {
    crashAddress: '0x14',
    frames: stack.map(frameOf),
    functions: stack,
    missingSymbols: missing,
    stops,
    system: SYSTEM,
    notes: { message: '', metadata: {} },
  };
  const facets = await facetIdsOf(ctx, gameId, new Map([[reportId, facetsOf({ metadata, system: SYSTEM })]]));
  const walk = { reportId, excerpt, grouping: groupingOf(stack), facets, stackKey, notes: null };
  await recordWalks(ctx.db, gameId, [walk], ctx.clock.now());
}

/** What the dumps say about the player's system. */
const SYSTEM: DumpSystem = { os: 'Linux', osVersion: '6.8.0', distribution: null, cpu: null, cores: 8 };

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The group of reports with this stack; `rulesVersion` as in `Grouping`. */
export function groupingOf(stack: readonly string[], rulesVersion?: number): Grouping {
  const title = stack[0] ?? '';
  const key = hash('sha256', title, 'buffer');
  return {
    key,
    kind: 'stack',
    title,
    reason: 'SIGSEGV / SEGV_MAPERR',
    explanation: [`took ${title}`],
    functions: [...new Set(stack)],
    ...(rulesVersion !== undefined && { rulesVersion }),
  };
}

function frameOf(name: string): ExcerptFrame {
  const place = { module: 'game', file: 'src/render/layout.cc', line: 14, offset: '0x1010' };
  return { function: name, ...place, trust: 'cfi', inlined: false };
}

/** The result of a stackwalk for a program whose only thread crashed in these functions. */
function reportOf(stack: readonly string[]): Report {
  const frames = stack.map(
    (name, index): Frame => ({
      frame: index,
      trust: index === 0 ? 'context' : 'cfi',
      offset: '0x0000000000401010',
      return_address: '0x0000000000401011',
      module: 'game',
      module_offset: '0x0000000000001010',
      function: name,
      function_offset: '0x0000000000000010',
      file: 'src/render/layout.cc',
      line: 14,
      line_offset: 8,
      inlines: [],
      missing_symbols: false,
      unloaded_modules: [],
      registers: { rip: '0x0000000000401010' },
    }),
  );
  return {
    schema: 1,
    time: '2026-11-21T12:00:00Z',
    pid: 7,
    process_uptime: 60,
    system_info: { os: 'Linux', os_ver: '6.1', cpu_arch: 'amd64', cpu_info: null, cpu_count: 2 },
    crash_info: { type: 'SIGSEGV / SEGV_MAPERR', address: '0x0000000000000014', crashing_thread: 0, assertion: null },
    signature: { signature: stack[0] ?? '', notes: [] },
    main_module: null,
    modules: [],
    unloaded_modules: [],
    threads: [
      { thread_id: 7, thread_name: null, last_error_value: null, frame_count: frames.length, frames, truncated: null },
    ],
    crashpad: null,
    mac_crash_info: [],
    lsb_release: null,
    handle_count: null,
    memory_map_count: null,
    warnings: [],
  };
}
