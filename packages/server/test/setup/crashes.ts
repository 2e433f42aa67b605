// Sends crash reports for tests, and reads what the server has stored.
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import type { Attachment } from '../../src/crash/crashes/report/files.ts';
import { readUnpacked } from '../../src/kernel/blobs/packed.ts';
import { onlyRow, rows } from '../../src/kernel/database/db.ts';
import { type ApiResponse, makeGame, request, type TestGame, type TestServer } from './server.ts';
import { register } from './uploads.ts';

export type CrashSender = { server: TestServer; game: TestGame; buildId: string };

/** Creates a game with one build, whose ids its clients send. */
export async function makeSender(server: TestServer): Promise<CrashSender> {
  const game = await makeGame(server);
  return { server, game, buildId: await register(server, game, { version: '1.4.2' }) };
}

export function idHeaders({ game, buildId }: CrashSender): Record<string, string> {
  return { 'x-app-id': game.uid, 'x-build-id': buildId };
}

/** Reports a crash in JSON. */
export function report(
  sender: CrashSender,
  body: unknown = { message: 'it crashed' },
  headers: Record<string, string> = idHeaders(sender),
): Promise<ApiResponse> {
  return request(`${sender.server.api}/public/crashes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export type CrashRow = {
  report_id: string;
  build_id: string;
  source: string;
  state: string;
  app_name: string;
  app_version: string;
  engine_version: string;
  os: string;
  arch: string;
  message: string;
  user_message: string;
  anonymous: boolean;
  metadata: Record<string, unknown>;
  dump_key: string | null;
  dump_size: number | null;
  log_key: string | null;
  log_size: number | null;
  failure: string | null;
};

/** Returns the game's stored reports, oldest first. */
export function reportsOf({ server, game }: CrashSender): Promise<CrashRow[]> {
  return rows(
    server.ctx.db,
    sql<CrashRow>`select report_id, build_id, source, state, app_name, app_version, engine_version, os, arch, message,
      user_message, anonymous, metadata, dump_key, dump_size, log_key, log_size, failure
      from crash_reports where game_id = ${game.uid} order by report_id`,
  );
}

/** Returns the only report of the game. */
export async function onlyReportOf(sender: CrashSender): Promise<CrashRow> {
  const reports = await reportsOf(sender);
  const [first] = reports;
  if (first === undefined || reports.length > 1) throw new Error(`there are ${reports.length} reports`);
  return first;
}

/** Returns the attachments of the only report of the game. */
export async function attachmentsOf({ server, game }: CrashSender): Promise<Attachment[]> {
  const { attachments } = await onlyRow(
    server.ctx.db,
    sql<{ attachments: Attachment[] }>`select attachments from crash_reports where game_id = ${game.uid}`,
  );
  return attachments;
}

/** Returns the file stored under `key`, decompressed. */
export async function blobOf({ server }: CrashSender, key: string | null): Promise<Buffer> {
  if (key === null) throw new Error('there is no blob');
  return buffer(await readUnpacked(server.ctx.blobs, key));
}

/** Returns the keys of all blobs of crash reports, including incomplete ones. */
export async function crashBlobs(server: TestServer): Promise<string[]> {
  const keys = await Array.fromAsync(server.ctx.blobs.list('crashes/'));
  return keys.map(({ key }) => key).sort();
}

/** Returns the keys of unreferenced crash blobs and of blobs that reports refer to but the store does not have. */
export async function orphansOf(server: TestServer): Promise<string[]> {
  const referenced = await rows(
    server.ctx.db,
    sql<{
      keys: (string | null)[];
    }>`select jsonb_build_array(dump_key, log_key, stack_key, event_key) || jsonb_path_query_array(attachments, '$[*].key')
        || jsonb_path_query_array(attachments, '$[*].image.key') as keys from crash_reports
      union all select jsonb_path_query_array(attachments, '$[*].key') from sentry_parts`,
  );
  const keys = referenced.flatMap((report) => report.keys.filter((key) => key !== null));
  return [...new Set(await crashBlobs(server)).symmetricDifference(new Set(keys))];
}

/** Counts the queued jobs of a task for the report. */
export async function countJobs(
  { server }: Pick<CrashSender, 'server'>,
  task: string,
  reportId: string,
): Promise<number> {
  const { count } = await onlyRow(
    server.ctx.db,
    sql<{ count: number }>`select count(*) from graphile_worker._private_jobs job
      join graphile_worker._private_tasks task on task.id = job.task_id
      where task.identifier = ${task} and job.payload::text like ${`%${reportId}%`}`,
  );
  return count;
}

/** Reports a crash and uploads its dump. Returns the id of the report. */
export async function reportWithDump(sender: CrashSender, dump: Uint8Array, message = 'it crashed'): Promise<string> {
  const { status, body } = await report(sender, { message, has_dump: true });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const upload = await request(body.data.uploads.dump.url, { method: 'PUT', body: dump as Uint8Array<ArrayBuffer> });
  if (upload.status !== 200) throw new Error(JSON.stringify(upload.body));
  return upload.body.data.crash_id;
}
