import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areCompatible, CLI_USER_AGENT, cliVersionOf, isNewer, VERSION } from './version.ts';

test('a command and a server work together within a major version', () => {
  assert.ok(areCompatible('1.0.0', '1.12.3'));
  assert.ok(!areCompatible('1.9.9', '2.0.0'));
  assert.ok(!areCompatible('1.0.0', '10.0.0'));
});

test('versions are compared by number', () => {
  assert.ok(isNewer('1.10.0', '1.9.9'));
  assert.ok(isNewer('2.0.0', '1.9.9'));
  assert.ok(isNewer('1.0.1', '1.0.0'));
  assert.ok(!isNewer('1.0.0', '1.0.0'));
  assert.ok(!isNewer('1.9.0', '1.10.0'));
});

test('the version of the command is read from its user agent', () => {
  assert.equal(cliVersionOf(CLI_USER_AGENT), VERSION);
  for (const other of [undefined, '', 'curl/8.0', 'chauffeur-cli', 'chauffeur-cli/x', 'x chauffeur-cli/1.2.3']) {
    assert.equal(cliVersionOf(other), undefined);
  }
});
