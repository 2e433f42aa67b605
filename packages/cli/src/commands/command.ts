// What commands share: their help, how they name their action, and options.
import { Command } from 'commander';
import type { Action } from '../actions/action.ts';

/** Turns an action into a commander action. Its module is loaded when the command runs, so that --help is quick. */
export type Act = <Options>(load: () => Promise<Action<Options>>) => (...params: unknown[]) => Promise<void>;

/** Parses an option that can be repeated. */
export function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** A command whose help ends with an example, which is written without the name of the program. */
export function newCommand(usage: string, description: string, example: string): Command {
  return new Command(usage).description(description).addHelpText('after', `\nExample:\n  $ chauffeur ${example}`);
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
