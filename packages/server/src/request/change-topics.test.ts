import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { gameOfInput, topicOfOperation } from './change-topics.ts';

test('operations that change crashes and builds have a topic, and reads have none', () => {
  const topicOf = (id: string) => topicOfOperation(OPERATIONS.find((operation) => operation.id === id)!);
  assert.equal(topicOf('builds.register'), 'builds');
  assert.equal(topicOf('deployKeys.issue'), 'builds');
  assert.equal(topicOf('symbols.upload'), 'crashes');
  assert.equal(topicOf('bugs.reply'), 'bugs');
  assert.equal(topicOf('crashes.list'), null);
  assert.equal(topicOf('accounts.updateProfile'), null);
});

test('the game is found in the input of an operation and in the payload of a job', () => {
  assert.equal(gameOfInput({ uid: 'owls', version: '1' }), 'owls');
  assert.equal(gameOfInput({ gameId: 'x', reportId: 'y' }), 'x');
  for (const nothing of [undefined, null, {}, { uid: 7 }, 'owls']) assert.equal(gameOfInput(nothing), null);
});
