// The command line: the list of commands, and global flags that can be before or after a command.
import { VERSION } from '@chauffeur/contract/version';
import { Command, CommanderError, type Help, Option } from 'commander';
import type { Act } from './commands/command.ts';
import { createContext, openOutput } from './context.ts';
import { InterruptedError, LocalError } from './failures.ts';
import { checkValues } from './option-values.ts';
import { type Output, problemOf, type Result } from './output.ts';
import type { GlobalOptions } from './settings.ts';

type ListedCommand = {
  /** The name of the command, and its arguments as the list of commands shows them. */
  readonly usage: string;
  readonly description: string;
  /** Imports the function that adds arguments, options and the action. */
  readonly load: () => Promise<(command: Command, act: Act) => Command>;
};

/** The commands, in the order of the help. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    usage: 'push <folder>',
    description: 'register a build, upload its folder and wait for the virus scan',
    load: async () => (await import('./commands/push.ts')).pushCommand,
  },
  {
    usage: 'genbuild',
    description: 'write build.yml, or update an existing one; fields without a flag keep their values',
    load: async () => (await import('./commands/descriptors.ts')).genbuildCommand,
  },
  {
    usage: 'addchangelog',
    description: 'add an entry to the changelog in build.yml',
    load: async () => (await import('./commands/descriptors.ts')).addchangelogCommand,
  },
  {
    usage: 'build',
    description: 'register a build before it is compiled, print its id, and write it where the game reads it',
    load: async () => (await import('./commands/builds.ts')).buildCommand,
  },
  {
    usage: 'setfiles',
    description: 'write addfiles.yml, which assigns a folder of files to a build',
    load: async () => (await import('./commands/descriptors.ts')).setfilesCommand,
  },
  {
    usage: 'addfiles',
    description: 'zip the folder in addfiles.yml and upload it to its build',
    load: async () => (await import('./commands/addfiles.ts')).addfilesCommand,
  },
  {
    usage: 'symbols <path...>',
    description: 'convert and upload debug information for a build: PDB, dSYM, DWARF and .sym files',
    load: async () => (await import('./commands/symbols.ts')).symbolsCommand,
  },
  {
    usage: 'media',
    description: 'manage the images of the store page',
    load: async () => (await import('./commands/media.ts')).mediaCommand,
  },
  {
    usage: 'videos',
    description: 'manage the uploaded videos of the store page',
    load: async () => (await import('./commands/videos.ts')).videosCommand,
  },
  {
    usage: 'login [server]',
    description: 'sign in to a server through its website',
    load: async () => (await import('./commands/login.ts')).loginCommand,
  },
  {
    usage: 'logout [server]',
    description: 'sign out of a server: revoke and forget the key',
    load: async () => (await import('./commands/login.ts')).logoutCommand,
  },
  {
    usage: 'info',
    description: 'show the game of the deploy key or login, its URLs, limits and recent builds',
    load: async () => (await import('./commands/info.ts')).infoCommand,
  },
  {
    usage: 'builds',
    description: 'list the builds of the game',
    load: async () => (await import('./commands/builds.ts')).buildsCommand,
  },
  {
    usage: 'promote <version>',
    description: 'offer a version on a channel, for all its platforms',
    load: async () => (await import('./commands/channels.ts')).promoteCommand,
  },
  {
    usage: 'rollback <channel>',
    description: 'roll a channel back to what it offered before',
    load: async () => (await import('./commands/channels.ts')).rollbackCommand,
  },
  {
    usage: 'rollout',
    description: 'offer a version to a share of devices, step by step',
    load: async () => (await import('./commands/rollout.ts')).rolloutCommand,
  },
  {
    usage: 'channels',
    description: 'list what each channel offers on each platform',
    load: async () => (await import('./commands/channels.ts')).channelsCommand,
  },
  {
    usage: 'versions',
    description: 'list the versions of the game, with their platforms, channels and health',
    load: async () => (await import('./commands/versions.ts')).versionsCommand,
  },
  {
    usage: 'status',
    description: 'show what players get, how the newest version is doing, and what is queued',
    load: async () => (await import('./commands/versions.ts')).statusCommand,
  },
  {
    usage: 'open [page]',
    description: 'open a page of the game in the browser, or print its address',
    load: async () => (await import('./commands/open.ts')).openCommand,
  },
  {
    usage: 'install <game> [folder]',
    description: 'install a game that can be updated',
    load: async () => (await import('./commands/install.ts')).installCommand,
  },
  {
    usage: 'update [folder]',
    description: 'update an installed game, downloading only what changed',
    load: async () => (await import('./commands/install.ts')).updateCommand,
  },
  {
    usage: 'verify [folder]',
    description: 'compare the files of an installed game with what was installed',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  {
    usage: 'repair [folder]',
    description: 'make the files of an installed game right again',
    load: async () => (await import('./commands/install.ts')).repairCommand,
  },
  {
    usage: 'launch [folder] [args...]',
    description: 'start an installed game',
    load: async () => (await import('./commands/launch.ts')).launchCommand,
  },
  {
    usage: 'uninstall [folder]',
    description: 'remove an installed game, but not what its player changed or added',
    load: async () => (await import('./commands/verify.ts')).uninstallCommand,
  },
  {
    usage: 'doctor',
    description: 'check the address, proxy, TLS, clock, deploy key and disk, and say what to fix',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    usage: 'self-update',
    description: 'install the version of chauffeur that the server offers',
    load: async () => (await import('./commands/self-update.ts')).selfUpdateCommand,
  },
  {
    usage: 'completion <shell>',
    description: 'print a completion script for your shell',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
];

/** Runs the command line `argv` (without node and script); resolves to the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = { json: argv.includes('--json'), quiet: argv.includes('--quiet') };
  const output = openOutput(flags);
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
    const program = await buildProgram(argv, output, stop.signal, finish);
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // --help and --version have printed their text.
    const problem = problemOf(error instanceof CommanderError ? usageErrorOf(error) : error);
    output.problem(problem);
    return problem.exitCode;
  }
}

function usageErrorOf(error: CommanderError): LocalError {
  const message = sentenceOf(error.message.replace(/^error: /, ''));
  // The code for a call without a command; commander has printed the help.
  if (error.code === 'commander.help') return new LocalError('No command given.', 'Run chauffeur --help for a list.');
  if (error.code === 'commander.unknownCommand') return new LocalError(message, 'Run chauffeur --help for a list.');
  return new LocalError(message, 'Run the command with --help for its usage.');
}

/** Commander writes `unknown command 'version'`, with `(Did you mean versions?)` in a second line if a name is close. */
function sentenceOf(message: string): string {
  const [problem = '', hint] = message.split('\n');
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}${problem.endsWith('.') ? '' : '.'}`;
  return hint === undefined ? sentence : `${sentence} ${hint.replace(/^\((.*)\)$/, '$1')}`;
}

/**
 * Builds the command tree, which passes the result of the command to `finish`. Only the code of commands whose names are
 * among the arguments is loaded, so that `--help` is quick and a command does not wait for the others.
 */
async function buildProgram(
  argv: readonly string[],
  output: Output,
  signal: AbortSignal,
  finish: (result: Result) => void,
): Promise<Command> {
  const act: Act =
    (action) =>
    async (...params) => {
      const command = params.at(-1) as Command;
      const args = command.processedArgs.flat().filter((arg) => arg !== undefined) as string[];
      for (const warning of checkValues(command)) output.note(warning);
      const context = createContext(command.optsWithGlobals<GlobalOptions>(), output, signal);
      finish(await action(context, command.opts() as never, ...args));
    };
  const program = new Command('chauffeur')
    .description('Ship the builds, symbols and store images of a game.')
    // Allows genbuild and setfiles to have their own --version.
    .enablePositionalOptions()
    .version(VERSION, '-V, --version', 'print the version of chauffeur');
  // The completion script contains the options of all commands.
  const needsAll = argv.includes('completion');
  for (const { usage, description, load } of COMMANDS) {
    const [name = '', ...args] = usage.split(' ');
    const command = new Command(name).description(description);
    if (needsAll || argv.includes(name)) (await load())(command, act);
    else for (const arg of args) command.argument(arg);
    program.addCommand(command);
  }
  const example = '$ chauffeur push dist/linux --version 1.0.0 --os linux --arch x86_64';
  program.addHelpText(
    'after',
    `\nExample:\n  ${example}\n\nFor the options of a command, run chauffeur <command> --help.`,
  );
  return prepare(program, output);
}

/** The options of every command. The help of `chauffeur` shows them, and that of a command refers to it. */
const GLOBAL_OPTIONS: readonly (readonly [flags: string, description: string])[] = [
  ['--url <url>', 'address of the server, such as games.example.com (or SERVICE_API_URL)'],
  ['--upload <url>', 'address of the upload host, if it differs (or SERVICE_UPLOAD_URL)'],
  ['--access <token>', 'access token of the deploy key (or SERVICE_ACCESS_TOKEN)'],
  ['--game <game>', 'uid or slug of the game, for a login with several (or SERVICE_GAME)'],
  ['--secret-stdin', 'read the secret key from stdin (or set SERVICE_SECRET_KEY)'],
  ['--json', 'print a single JSON object on stdout'],
  ['--quiet', 'do not print progress or notes'],
];

/** Adds the global options to a command and its subcommands, and makes errors throw instead of exiting the process. */
function prepare(command: Command, output: Output): Command {
  const isProgram = command.parent === null;
  command.optionsGroup('Global options:');
  for (const [flags, description] of GLOBAL_OPTIONS)
    command.addOption(new Option(flags, description).hideHelp(!isProgram));
  command
    .addHelpOption(new Option('-h, --help', 'print this help').hideHelp(!isProgram))
    .configureHelp({ formatHelp })
    .exitOverride()
    // run() prints all errors. With --json, the help for a missing command is not printed.
    .configureOutput({ outputError: () => {}, ...(output.json && { writeErr: () => {} }) });
  if (!isProgram)
    command.addHelpText('after', '\nFor global options, such as --json and --game, run chauffeur --help.');
  if (command.commands.length > 0) command.helpCommand('help [command]', 'print the help of a command');
  for (const subcommand of command.commands) prepare(subcommand, output);
  return command;
}

/** Nearly all commands have options, so the list does not say so. */
function termOf(command: Command, helper: Help): string {
  return helper.subcommandTerm(command).replace(' [options]', '');
}

/** Lists commands before options, because people look for a command first. */
function formatHelp(command: Command, helper: Help): string {
  const width = helper.padWidth(command, helper);
  const listOf = (heading: string, items: readonly (readonly [term: string, description: string])[]) =>
    items.length === 0
      ? []
      : ['', heading, ...items.map(([term, text]) => helper.formatItem(term, width, text, helper))];
  const options = Map.groupBy(helper.visibleOptions(command), (option) => option.helpGroupHeading ?? 'Options:');
  return [
    `Usage: ${helper.commandUsage(command)}`,
    '',
    helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80),
    ...listOf(
      'Arguments:',
      helper.visibleArguments(command).map((arg) => [helper.argumentTerm(arg), helper.argumentDescription(arg)]),
    ),
    ...listOf(
      'Commands:',
      helper.visibleCommands(command).map((sub) => [termOf(sub, helper), helper.subcommandDescription(sub)]),
    ),
    ...[...options].flatMap(([heading, some]) =>
      listOf(
        heading,
        some.map((option) => [helper.optionTerm(option), helper.optionDescription(option)]),
      ),
    ),
    '',
  ].join('\n');
}
