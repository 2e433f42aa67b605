import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenScopeOf } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';
import { hasTokenScope, TOKEN_SCOPES } from './token-scopes.ts';

/** What only a person does in the browser, or a program with its own kind of credential. */
const WITHOUT_TOKEN = [
  ...['accounts.export', 'accounts.profile', 'accounts.security', 'accounts.updateProfile'],
  ...['agents.calls', 'agents.client', 'agents.connect', 'agents.connections', 'agents.createKey'],
  ...['agents.disconnect', 'agents.keys', 'agents.ownCalls', 'agents.revokeKey', 'alerts.getAction'],
  ...['apiTokens.create', 'apiTokens.list', 'apiTokens.revoke'],
  ...['approvals.confirm', 'approvals.decide', 'approvals.get', 'approvals.waiting', 'bugs.file'],
  ...['channels.joinBeta', 'channels.leaveBeta', 'cliLogins.decide', 'cliLogins.getRequest', 'cliLogins.list'],
  ...['cliLogins.revoke', 'credentials.get', 'credentials.revoke', 'deployKeys.createToken', 'deployKeys.issue'],
  ...['follows.follow', 'follows.get', 'follows.unfollow', 'games.delete', 'games.leave', 'games.watch'],
  ...['invitations.accept', 'invitations.decline', 'invitations.get', 'invitations.offerTransfer'],
  ...['organisations.create', 'organisations.delete', 'organisations.leave', 'organisations.moveGame'],
  ...[
    'organisations.requireSignIn',
    'organisations.requirements',
    'overview.visit',
    'setup.claimOperator',
    'symbols.issueToken',
  ],
];

test('every operation of an account or a deploy key needs one scope, or is listed here as not for tokens', () => {
  const without = OPERATIONS.filter(
    (operation) => ['account', 'deploy_key'].includes(operation.access) && tokenScopeOf(operation) === null,
  );
  assert.deepEqual(without.map(({ id }) => id).sort(), WITHOUT_TOKEN);
});

test('no operation of an operator can be called with a token', () => {
  for (const operation of OPERATIONS.filter(({ access }) => access === 'operator'))
    assert.equal(tokenScopeOf(operation), null, operation.id);
});

test('of public operations, only operations that show members more have a scope, and none for other sites has one', () => {
  const scoped = OPERATIONS.filter((operation) => operation.access === 'public' && tokenScopeOf(operation) !== null);
  assert.deepEqual(scoped.map(({ id }) => id).sort(), [
    ...['media.download', 'store.download', 'store.game', 'store.manifest', 'store.manifestDifference', 'store.patch'],
    ...['store.provenance', 'store.releases', 'store.update', 'videos.download'],
  ]);
  for (const { id, crossOrigin, method } of scoped) assert.deepEqual([crossOrigin, method], [undefined, 'GET'], id);
});

test('a scope to read is enough for no operation that changes something', () => {
  const reads = OPERATIONS.filter(
    (operation) => tokenScopeOf(operation)?.endsWith(':read') && operation.method !== 'GET',
  );
  assert.deepEqual(reads.map(({ id }) => id).sort(), [
    ...['crashes.previewGroupingRules', 'crashes.requestDownload', 'store.renderMarkdown'],
  ]);
});

test('each scope is needed by an operation', () => {
  const needed = new Set(OPERATIONS.map(tokenScopeOf));
  for (const scope of TOKEN_SCOPES) assert.ok(needed.has(scope), scope);
});

test('write access includes read access to the same part only', () => {
  assert.equal(hasTokenScope(['builds:write'], 'builds:read'), true);
  assert.equal(hasTokenScope(['builds:read'], 'builds:write'), false);
  assert.equal(hasTokenScope(['builds:write'], 'bugs:read'), false);
  assert.equal(hasTokenScope([], 'bugs:read'), false);
});
