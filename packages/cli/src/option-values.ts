// Checks the values of flags and arguments before a command runs. In scripts they come from variables, which can be empty
// or end with a line break.
import { hasHiddenCharacter } from '@chauffeur/contract/text';
import type { Command, Option } from 'commander';
import { LocalError } from './failures.ts';

/** Texts of several lines, which can be empty. */
const TEXTS = ['description', 'changelog'];
/** Paths and patterns are used exactly as they are written. */
const PATHS = ['asset', 'files', 'ignore', 'out', 'program', 'symbols', 'tmp', 'write'];

const VARIABLE = /^(\$\{?[A-Za-z_]\w*\}?|\$env:\w+|%[A-Za-z_]\w*%|\$\([\w.]+\)|\$?\{\{.*\}\}|\$\[\[.*\]\])$/;

/** Whether a value is only a variable in the syntax of a shell or a CI system, which did not replace it. */
export function isVariable(value: string): boolean {
  return VARIABLE.test(value.trim());
}

export const CHECK_SYNTAX = 'Check the syntax of variables in your shell or CI system, and that this one is set.';
const CHECK_SCRIPT = 'In a script, check that the variable for it is set.';

/**
 * Trims the values that `command` was called with, and returns what to warn about. Throws LocalError for an empty value,
 * a variable that was not replaced, or a flag where a value belongs.
 */
export function checkValues(command: Command): string[] {
  const warnings: string[] = [];
  for (const [index, value] of command.args.entries()) {
    const name = command.registeredArguments.at(Math.min(index, command.registeredArguments.length - 1))?.name();
    if (value.trim() === '') throw emptyValue(`<${name ?? 'argument'}>`);
    refuseVariable(`<${name ?? 'argument'}>`, value);
  }
  for (let owner: Command | null = command; owner !== null; owner = owner.parent) {
    for (const option of owner.options) warnings.push(...checkOption(owner, option, command));
  }
  return warnings;
}

function checkOption(owner: Command, option: Option, command: Command): string[] {
  const name = option.attributeName();
  const given: unknown = owner.getOptionValue(name);
  if (owner.getOptionValueSource(name) !== 'cli') return [];
  const isList = Array.isArray(given);
  const values = (isList ? given : [given]).filter((value) => typeof value === 'string');
  if (values.length === 0) return [];
  const flag = option.long ?? option.flags;
  const checked = values.map((value) => checkValue(flag, name, value, command));
  owner.setOptionValueWithSource(name, isList ? checked : checked[0], 'cli');
  return TEXTS.includes(name) && checked.includes('') ? [`warning: ${flag} is empty.`] : [];
}

function checkValue(flag: string, name: string, value: string, command: Command): string {
  if (command.options.some(({ long, short }) => value === long || value === short))
    throw new LocalError(`${flag} has no value, because ${value} follows it.`, `Give it a value. ${CHECK_SCRIPT}`);
  if (TEXTS.includes(name)) return value;
  if (value.trim() === '') throw emptyValue(flag);
  if (PATHS.includes(name)) return value;
  return checkLine(flag, value);
}

/** Returns a name without the spaces and line breaks around it. Throws LocalError if it is not a single line. */
export function checkLine(name: string, value: string): string {
  const line = value.trim();
  refuseVariable(name, line);
  if (!hasHiddenCharacter(line)) return line;
  throw new LocalError(
    `${name} contains a line break, another control character or a character that changes the text direction.`,
    `Correct ${name}.`,
  );
}

function refuseVariable(name: string, value: string): void {
  if (!isVariable(value)) return;
  throw new LocalError(`${name}: ${value.trim()} is the name of a variable, not its value.`, CHECK_SYNTAX);
}

function emptyValue(name: string): LocalError {
  return new LocalError(`${name} is empty.`, `Give it a value, or leave it out. ${CHECK_SCRIPT}`);
}
