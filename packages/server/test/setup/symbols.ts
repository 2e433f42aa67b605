// What tests of symbols send and look at: small symbol files, forms, zips, and what is kept of them.
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { compileSymbols } from '../../src/features/symbols/compile.job.ts';
import { onlyRow, rows } from '../../src/kernel/database/db.ts';
import { type Answer, request, type TestGame, type TestServer, until } from './server.ts';
import { type FormFields, formOf, sha256 } from './uploads.ts';

/** A debug id of its own for each `seed`. */
export function debugIdOf(seed: string): string {
  return `${hash('md5', seed).toUpperCase()}0`;
}

/** A symbol file of one function at 0x10 named `f`; `debugId` is that of `file` where absent. */
export function symText({
  file = 'libgame.so',
  debugId = debugIdOf(file),
  os = 'Linux',
  f = 'game::run()',
} = {}): Buffer {
  return Buffer.from(`MODULE ${os} x86_64 ${debugId} ${file}\nFILE 0 /src/game.cc\nFUNC 10 8 0 ${f}\n10 8 3 0\n`);
}

type SendOptions = { fields?: FormFields; filename?: string; fileFirst?: boolean };

/** Sends `file` for the build; `fields` add to the form or, where undefined, take away from it. */
export function sendSymbols(
  server: TestServer,
  game: TestGame,
  buildId: string,
  file: Uint8Array,
  { fields = {}, filename = 'game.sym', fileFirst = false }: SendOptions = {},
): Promise<Answer> {
  const form = formOf({ build_id: buildId, checksum: sha256(file), ...fields }, file, { filename, fileFirst });
  return request(`${server.api}/tool/upload/symbols`, { method: 'POST', headers: game.keyHeaders, body: form });
}

/** Sends and fails unless it was taken; answers the records. */
export async function addSymbols(server: TestServer, game: TestGame, buildId: string, file: Uint8Array) {
  const answer = await sendSymbols(server, game, buildId, file);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.symbols as SymbolRecord[];
}

export type SymbolRecord = {
  symbol_uid: string;
  build_id: string;
  debug_file: string;
  debug_id: string;
  os: string;
  cpu: string;
  size: number;
  checksum: string;
  state: string;
  problem: string | null;
  uploaded_at: string;
};

export async function symbolsOf(server: TestServer, game: TestGame, buildId: string): Promise<SymbolRecord[]> {
  const { body } = await request(`${server.api}/tool/symbols?build_id=${buildId}`, { headers: game.keyHeaders });
  return body.data.symbols;
}

/** The build's symbols once all of them are compiled or found unreadable. */
export function untilCompiled(server: TestServer, game: TestGame, buildId: string): Promise<SymbolRecord[]> {
  return until(async () => {
    const found = await symbolsOf(server, game, buildId);
    return found.every(({ state }) => state !== 'stored') && found;
  });
}

/** Runs the job of one text here and now, for servers without a worker. */
export function compileNow(server: TestServer, game: TestGame, checksum: string, { last = false } = {}): Promise<void> {
  const attempt = { number: last ? 12 : 1, last, signal: new AbortController().signal };
  return compileSymbols(server.ctx, { gameId: game.uid, checksum }, attempt);
}

/** Keys of the game's blobs of symbols, whole or only begun. */
export async function symbolBlobsOf(server: TestServer, game: TestGame): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.ctx.blobs.list(`symbols/${game.uid}/`)) keys.push(key);
  return keys.sort();
}

/** Everything that is kept of the game's symbols, as numbers. */
export async function keptOf(server: TestServer, game: TestGame) {
  const counts = await onlyRow(
    server.ctx.db,
    sql<{ texts: number; symbols: number }>`select
      (select count(*) from symbol_texts where game_id = ${game.uid}) as texts,
      (select count(*) from symbols where game_id = ${game.uid}) as symbols`,
  );
  return { ...counts, blobs: (await symbolBlobsOf(server, game)).length };
}

export const NOTHING_KEPT = { texts: 0, symbols: 0, blobs: 0 };

/** Payloads of the jobs of a kind that wait, for servers without a worker. */
export async function waitingJobs(server: TestServer, task: string): Promise<Record<string, string>[]> {
  const found = await rows(
    server.ctx.db,
    sql<{ payload: Record<string, string> }>`
      select payload from graphile_worker._private_jobs as jobs
        join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
      where identifier = ${task} order by jobs.id`,
  );
  return found.map(({ payload }) => payload);
}
