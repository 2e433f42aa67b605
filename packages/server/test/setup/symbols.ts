// Small symbol files for tests of symbols, the requests that send them, and what the server has stored.
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { compileSymbols } from '../../src/crash/symbols/compile.job.ts';
import { onlyRow, rows } from '../../src/kernel/database/db.ts';
import { type Api, type ApiResponse, type KeyHolder, request, type TestGame, type TestServer } from './server.ts';
import { until } from './until.ts';
import { type FormFields, formOf, sha256 } from './uploads.ts';

/** A different debug id for each `seed`. */
export function debugIdOf(seed: string): string {
  return `${hash('md5', seed).toUpperCase()}0`;
}

/** A symbol file with one function `f` at 0x10; `debugId` defaults to one derived from `file`. */
export function symText({
  file = 'libgame.so',
  debugId = debugIdOf(file),
  os = 'Linux',
  f = 'game::run()',
} = {}): Buffer {
  return Buffer.from(`MODULE ${os} x86_64 ${debugId} ${file}\nFILE 0 /src/game.cc\nFUNC 10 8 0 ${f}\n10 8 3 0\n`);
}

type SendOptions = { fields?: FormFields; filename?: string; fileFirst?: boolean };

/** Sends `file` for the build. `fields` are added to the form; undefined ones are removed. */
export function sendSymbols(
  server: Api,
  game: KeyHolder,
  buildId: string,
  file: Uint8Array,
  { fields = {}, filename = 'game.sym', fileFirst = false }: SendOptions = {},
): Promise<ApiResponse> {
  const form = formOf({ build_id: buildId, checksum: sha256(file), ...fields }, file, { filename, fileFirst });
  return request(`${server.api}/tool/upload/symbols`, { method: 'POST', headers: game.keyHeaders, body: form });
}

/** Sends `file`, which must be accepted. Returns the records of its symbols. */
export async function addSymbols(server: Api, game: KeyHolder, buildId: string, file: Uint8Array) {
  const response = await sendSymbols(server, game, buildId, file);
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data.symbols as SymbolRecord[];
}

export type SymbolRecord = {
  kind: string;
  symbol_uid: string;
  build_id: string;
  debug_file: string;
  debug_id: string;
  code_id: string | null;
  os: string;
  cpu: string;
  size: number;
  checksum: string;
  state: string;
  problem: string | null;
  functions: number | null;
  has_lines: boolean | null;
  uploaded_at: string;
  poorer_at: string | null;
  unwind: number | null;
  native_checksum: string | null;
};

export async function symbolsOf(server: Api, game: KeyHolder, buildId: string): Promise<SymbolRecord[]> {
  const { body } = await request(`${server.api}/tool/symbols?build_id=${buildId}`, { headers: game.keyHeaders });
  return body.data.symbols;
}

/** Waits until all symbols of the build are compiled or unreadable. Returns them. */
export function untilCompiled(server: Api, game: KeyHolder, buildId: string): Promise<SymbolRecord[]> {
  return until(async () => {
    const symbols = await symbolsOf(server, game, buildId);
    return symbols.every(({ state }) => state !== 'stored') && symbols;
  });
}

/** Runs the compile job of one text immediately, for servers without a worker. */
export function compileNow(server: TestServer, game: TestGame, checksum: string, { last = false } = {}): Promise<void> {
  const attempt = { number: last ? 12 : 1, last, signal: new AbortController().signal };
  return compileSymbols(server.ctx, { gameId: game.uid, checksum }, attempt);
}

/** Returns the keys of the game's symbol blobs, including incomplete ones. */
export async function symbolBlobsOf(server: TestServer, game: TestGame): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.ctx.blobs.list(`symbols/${game.uid}/`)) keys.push(key);
  return keys.sort();
}

/** Counts everything that is stored of the game's symbols. */
export async function storedCountsOf(server: TestServer, game: TestGame) {
  const counts = await onlyRow(
    server.ctx.db,
    sql<{ texts: number; symbols: number }>`select
      (select count(*) from symbol_texts where game_id = ${game.uid}) as texts,
      (select count(*) from symbols where game_id = ${game.uid}) as symbols`,
  );
  return { ...counts, blobs: (await symbolBlobsOf(server, game)).length };
}

export const NOTHING_STORED = { texts: 0, symbols: 0, blobs: 0 };

/** Returns the payloads of the queued jobs of a task, for servers without a worker. */
export async function waitingJobs(server: TestServer, task: string): Promise<Record<string, string>[]> {
  const jobs = await rows(
    server.ctx.db,
    sql<{ payload: Record<string, string> }>`
      select payload from graphile_worker._private_jobs as jobs
        join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
      where identifier = ${task} order by jobs.id`,
  );
  return jobs.map(({ payload }) => payload);
}
