// The command line: all commands with their help, and global flags that can be before or after a command.
import { VERSION } from '@chauffeur/contract/version';
import { Command, CommanderError } from 'commander';
import { addchangelogCommand } from './commands/addchangelog.ts';
import { addfilesCommand } from './commands/addfiles.ts';
import { buildCommand } from './commands/build.ts';
import { buildsCommand } from './commands/builds.ts';
import type { Act } from './commands/command.ts';
import { completionCommand } from './commands/completion.ts';
import { doctorCommand } from './commands/doctor.ts';
import { genbuildCommand } from './commands/genbuild.ts';
import { infoCommand } from './commands/info.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { mediaCommand } from './commands/media.ts';
import { pushCommand } from './commands/push.ts';
import { selfUpdateCommand } from './commands/self-update.ts';
import { setfilesCommand } from './commands/setfiles.ts';
import { symbolsCommand } from './commands/symbols.ts';
import { videosCommand } from './commands/videos.ts';
import { createContext } from './context.ts';
import { InterruptedError, LocalError } from './failures.ts';
import { checkValues } from './option-values.ts';
import { Output, problemOf, type Result } from './output.ts';
import type { GlobalOptions } from './settings.ts';

const COMMANDS: readonly ((act: Act) => Command)[] = [
  pushCommand,
  genbuildCommand,
  addchangelogCommand,
  buildCommand,
  setfilesCommand,
  addfilesCommand,
  symbolsCommand,
  mediaCommand,
  videosCommand,
  loginCommand,
  logoutCommand,
  infoCommand,
  buildsCommand,
  doctorCommand,
  selfUpdateCommand,
  completionCommand,
];

/** Runs the command line `argv` (without node and script); resolves to the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = { json: argv.includes('--json'), quiet: argv.includes('--quiet') };
  const output = new Output(flags, process.stdout, process.stderr);
  const stop = new AbortController();
  const interrupt = (signal: 'SIGINT' | 'SIGTERM') => {
    if (stop.signal.aborted) process.exit(new InterruptedError(signal).exitCode); // The second signal exits immediately.
    stop.abort(new InterruptedError(signal));
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    let exitCode = 0;
    const finish = (result: Result) => {
      output.result(result);
      exitCode = result.exitCode ?? 0;
    };
    await buildProgram(output, stop.signal, finish).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // --help and --version have printed their text.
    const problem = problemOf(error instanceof CommanderError ? usageErrorOf(error) : error);
    output.problem(problem);
    return problem.exitCode;
  }
}

function usageErrorOf(error: CommanderError): LocalError {
  const message = error.message.replace(/^error: /, '');
  // The code for a call without a command; commander has printed the help.
  if (error.code === 'commander.help') return new LocalError('No command given.', 'Run chauffeur --help for a list.');
  return new LocalError(message, 'Run the command with --help for its usage.');
}

/** Builds the command tree, which passes the result of the command to `finish`. */
function buildProgram(output: Output, signal: AbortSignal, finish: (result: Result) => void): Command {
  const act: Act =
    (load) =>
    async (...params) => {
      const command = params.at(-1) as Command;
      const args = command.processedArgs.flat().filter((arg) => arg !== undefined) as string[];
      for (const warning of checkValues(command)) output.note(warning);
      const context = createContext(command.optsWithGlobals<GlobalOptions>(), output, signal);
      const action = await load();
      finish(await action(context, command.opts() as never, ...args));
    };
  const program = new Command('chauffeur')
    .description('Ship the builds, symbols and store images of a game.')
    // Allows genbuild and setfiles to have their own --version.
    .enablePositionalOptions()
    .version(VERSION, '-V, --version', 'print the version of chauffeur');
  for (const create of COMMANDS) program.addCommand(create(act));
  program.addHelpText('after', '\nExample:\n  $ chauffeur push dist/linux --version 1.0.0 --os linux --arch x86_64');
  return prepare(program, output);
}

/** Adds the global flags to a command and its subcommands, and makes errors throw instead of exiting the process. */
function prepare(command: Command, output: Output): Command {
  command
    .optionsGroup('Global options:')
    .option('--url <url>', 'base URL of the API, ending in /api/v1 (or SERVICE_API_URL)')
    .option('--upload <url>', 'base URL of the upload host, if it differs (or SERVICE_UPLOAD_URL)')
    .option('--access <token>', 'access token of the deploy key (or SERVICE_ACCESS_TOKEN)')
    .option('--game <game>', 'uid or slug of the game, for a login with several (or SERVICE_GAME)')
    .option('--secret-stdin', 'read the secret key from stdin (or set SERVICE_SECRET_KEY)')
    .option('--json', 'print a single JSON object on stdout')
    .option('--quiet', 'do not print progress or notes')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    // run() prints all errors. With --json, the help for a missing command is not printed.
    .configureOutput({ outputError: () => {}, ...(output.json && { writeErr: () => {} }) });
  for (const subcommand of command.commands) prepare(subcommand, output);
  return command;
}
