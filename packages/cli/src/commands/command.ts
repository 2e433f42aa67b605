// What commands share: the shape of their actions, their help, and options.
import { Command } from 'commander';
import type { Context } from '../context.ts';
import type { Result } from '../output.ts';

/** Runs a command with its parsed options and arguments. */
export type Action<Options> = (context: Context, options: Options, ...args: string[]) => Promise<Result>;

/** Turns an action into a commander action. */
export type Act = <Options>(action: Action<Options>) => (...params: unknown[]) => Promise<void>;

/** Parses an option that can be repeated. */
export function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Ends the help of a command with an example, which is written without the name of the program. */
export function withExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ chauffeur ${example}`);
}

/** A command below another one. */
export function newCommand(usage: string, description: string, example: string): Command {
  return withExample(new Command(usage).description(description), example);
}

/** Adds the options that choose which files of a folder are sent. */
export function addFileOptions(command: Command): Command {
  return command
    .option('--ignore <glob>', 'leave out matching files, such as *.pdb or saves/*; can be repeated', collectValues)
    .option('--ignore-junk', 'leave out what players should not get, such as .git and private keys (default)')
    .option('--no-ignore-junk', 'include what players should not get')
    .option('--dereference', 'include the targets of symbolic links instead of the links')
    .option('--dry-run', 'list what would be sent, and where, without sending it');
}
