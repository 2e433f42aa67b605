// Runs `chauffeur symbols` in a folder against a server of a test.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMMAND } from './programs.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './server.ts';

export type SymbolsCommand = {
  readonly server: TestServer;
  readonly game: TestGame;
  /** The folder in which the command runs. */
  readonly folder: string;
  /** Writes a file below the folder. */
  put(path: string, content: Uint8Array): Promise<void>;
  /** Without a server, the command knows neither its address nor a key. */
  run(args: readonly string[], options?: { readonly isOnline?: boolean }): Promise<Outcome>;
  stop(): Promise<void>;
};

export type Outcome = {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: Tests compare parts of what is printed.
  readonly output: any;
  readonly stderr: string;
};

export async function startSymbolsCommand(): Promise<SymbolsCommand> {
  const server = await startServer();
  const game = await makeGame(server);
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-symbols-'));
  const { 'x-access-token': access, 'x-secret-key': secret } = game.keyHeaders;
  const settings = { SERVICE_API_URL: server.api, SERVICE_ACCESS_TOKEN: access, SERVICE_SECRET_KEY: secret };
  return {
    ...{ server, game, folder },
    async put(path, content) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
    async run(args, { isOnline = true } = {}) {
      const child = spawn(process.execPath, [COMMAND, 'symbols', '--json', ...args], {
        cwd: folder,
        env: { PATH: '', HOME: folder, ...(isOnline && settings) },
      });
      const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
      const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
      return { code, output: JSON.parse(stdout), stderr };
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
