import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Argument, Command } from 'commander';
import { COMMANDS } from './program.ts';

const formatArgument = (arg: Argument) => {
  const name = `${arg.name()}${arg.variadic ? '...' : ''}`;
  return arg.required ? `<${name}>` : `[${name}]`;
};

test('the list of commands shows the arguments that each command takes', async () => {
  for (const { usage, load } of COMMANDS) {
    const [name = '', ...args] = usage.split(' ');
    const command = (await load())(new Command(name), () => async () => {});
    assert.deepEqual(args, command.registeredArguments.map(formatArgument), usage);
  }
});
