// The command line: every command with the global flags before or after it, its help, and how it is run.
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addchangelogCommand } from './commands/addchangelog.ts';
import { addfilesCommand } from './commands/addfiles.ts';
import { buildCommand } from './commands/build.ts';
import { buildsCommand } from './commands/builds.ts';
import { completionCommand } from './commands/completion.ts';
import { genbuildCommand } from './commands/genbuild.ts';
import { infoCommand } from './commands/info.ts';
import { mediaCommand } from './commands/media.ts';
import { setfilesCommand } from './commands/setfiles.ts';
import { symbolsCommand } from './commands/symbols.ts';
import { type Context, createContext } from './context.ts';
import { InterruptedError, LocalError } from './failures.ts';
import { Output, problemOf, type Result } from './output.ts';
import type { GlobalOptions } from './settings.ts';

/** What a command does with its checked options and arguments. */
export type Handler<Options> = (context: Context, options: Options, ...args: string[]) => Promise<Result>;
/** Turns a handler into a commander action. */
export type Act = <Options>(handler: Handler<Options>) => (...params: unknown[]) => Promise<void>;

const COMMANDS: readonly ((act: Act) => Command)[] = [
  genbuildCommand,
  addchangelogCommand,
  buildCommand,
  setfilesCommand,
  addfilesCommand,
  symbolsCommand,
  mediaCommand,
  infoCommand,
  buildsCommand,
  completionCommand,
];

/** Runs the command line `argv` (without node and script); resolves to the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = { json: argv.includes('--json'), quiet: argv.includes('--quiet') };
  const output = new Output(flags, process.stdout, process.stderr);
  const stop = new AbortController();
  const interrupt = (signal: 'SIGINT' | 'SIGTERM') => {
    if (stop.signal.aborted) process.exit(new InterruptedError(signal).exitCode); // asked twice: no more waiting
    stop.abort(new InterruptedError(signal));
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    await buildProgram(output, stop.signal).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // --help and --version have printed
    const problem = problemOf(error instanceof CommanderError ? usageErrorOf(error) : error);
    output.problem(problem);
    return problem.exitCode;
  }
}

function usageErrorOf(error: CommanderError): LocalError {
  const message = error.message.replace(/^error: /, '');
  // commander's code for a call without a command, after which it has written the help
  if (error.code === 'commander.help') return new LocalError('A command is missing.', 'See chauffeur --help.');
  return new LocalError(message, 'See --help of the command.');
}

/** The whole command tree; what it prints goes to `output`. */
function buildProgram(output: Output, signal: AbortSignal): Command {
  const act: Act =
    (handler) =>
    async (...params) => {
      const command = params.at(-1) as Command;
      const args = command.processedArgs.flat().filter((arg) => arg !== undefined) as string[];
      const context = createContext(command.optsWithGlobals<GlobalOptions>(), output, signal);
      output.result(await handler(context, command.opts() as never, ...args));
    };
  const program = new Command('chauffeur')
    .description('Ships builds, symbols and store images of a game.')
    // Lets genbuild and setfiles have a --version of their own.
    .enablePositionalOptions()
    .version(manifest.version, '-V, --version', 'print the version of this command');
  for (const create of COMMANDS) program.addCommand(create(act));
  program.addHelpText('after', '\nExample:\n  $ chauffeur genbuild --version 1.0.0');
  return prepare(program, output);
}

/** Gives the command and those below it the global flags, and errors that are thrown in place of an exit. */
function prepare(command: Command, output: Output): Command {
  command
    .optionsGroup('Global options:')
    .option('--url <url>', 'base of the API, ending in /api/v1 (SERVICE_API_URL)')
    .option('--upload <url>', 'base of the upload host, where it differs (SERVICE_UPLOAD_URL)')
    .option('--access <token>', 'access token of the deploy key (SERVICE_ACCESS_TOKEN)')
    .option('--secret-stdin', 'read the secret key from stdin (else SERVICE_SECRET_KEY)')
    .option('--json', 'print one JSON object on stdout')
    .option('--quiet', 'print no progress and no notes')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    // Errors are printed by run(), like all others; a help text in place of a command has no place beside JSON.
    .configureOutput({ outputError: () => {}, ...(output.json && { writeErr: () => {} }) });
  for (const below of command.commands) prepare(below, output);
  return command;
}
