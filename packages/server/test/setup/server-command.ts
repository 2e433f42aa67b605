// Runs an operator's command of the server as a separate process, on the database and the folder of a test server.
import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { environmentWith, SERVER } from './programs.ts';

export type CommandResult = { code: number | null; stdout: string; stderr: string };
/** The settings of the process: those of a test server, or others by the names of their environment variables. */
export type CommandEnvironment = Record<string, string>;

export function environmentOf(server: { dataFolder: string; database: { url: string } }): CommandEnvironment {
  return { CHAUFFEUR_DATA: server.dataFolder, DATABASE_URL: server.database.url };
}

/** Starts the command. The caller may kill `child`. */
export function startServerCommand(
  environment: CommandEnvironment,
  args: readonly string[],
  input = '',
): { child: ChildProcess; ended: Promise<CommandResult> } {
  const child = spawn(process.execPath, [SERVER, ...args], {
    env: environmentWith(environment),
  });
  // A command may end without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  const { promise: exited, resolve } = Promise.withResolvers<number | null>();
  child.once('close', (code) => resolve(code));
  const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
    code,
    stdout,
    stderr,
  }));
  return { child, ended };
}

/** Runs the command until it exits. */
export function runServerCommand(
  environment: CommandEnvironment,
  args: readonly string[],
  input = '',
): Promise<CommandResult> {
  return startServerCommand(environment, args, input).ended;
}
