import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { COMMANDS } from './program.ts';

test('the list of commands shows the arguments that each command takes', async () => {
  for (const { usage, load } of COMMANDS) {
    const [name = '', ...args] = usage.split(' ');
    const command = (await load())(new Command(name), () => async () => {});
    const taken = command.registeredArguments.map((arg) => `<${arg.name()}${arg.variadic ? '...' : ''}>`);
    assert.deepEqual(args, taken, usage);
  }
});
