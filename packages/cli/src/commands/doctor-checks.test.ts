import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIB } from '@chauffeur/contract/limits';
import { VERSION } from '@chauffeur/contract/version';
import { judgeCertificate, judgeClock, judgeFailure, judgeProxy, judgeServer, judgeSpace } from './doctor-checks.ts';

const URL = 'https://games.example.com:8443/api/v1';

test('a failed connection is explained by its code', () => {
  const failure = (code: string, hasProxy = false) =>
    judgeFailure('connection', URL, new TypeError('fetch failed', { cause: { code, message: 'details' } }), hasProxy);
  assert.match(failure('CERT_HAS_EXPIRED').message, /games\.example\.com:8443 has expired/);
  assert.match(failure('SELF_SIGNED_CERT_IN_CHAIN').remedy ?? '', /NODE_EXTRA_CA_CERTS/);
  assert.match(failure('UND_ERR_CONNECT_TIMEOUT').message, /did not respond in time/);
  assert.match(failure('ECONNREFUSED', true).remedy ?? '', /proxy/);
  assert.match(failure('EIO').message, /failed: details/);
  assert.match(judgeFailure('connection', URL, new DOMException('late', 'TimeoutError'), false).message, /in time/);
});

test('a response is judged by its status and the version of the server', () => {
  const judge = (answer: Partial<Parameters<typeof judgeServer>[2]>) =>
    judgeServer('server', URL, { status: 401, version: VERSION, server: null, location: null, body: '', ...answer });
  assert.equal(judge({}).status, 'ok');
  const [major = 0, minor = 0] = VERSION.split('.').map(Number);
  assert.equal(judge({ version: `${major}.${minor + 1}.0` }).status, 'warning');
  assert.equal(judge({ version: `${major + 1}.0.0` }).status, 'problem');
  assert.match(
    judge({ version: null, status: 200 }).message,
    /v1: The response is not from a Chauffeur server: status 200/,
  );
  assert.match(judge({ version: null, status: 502 }).remedy ?? '', /is running/);
  assert.match(judge({ version: null, status: 407 }).message, /password/);
  assert.match(judge({ version: null, status: 413, server: 'nginx' }).message, /\(nginx\) refuses .* it answered 413/);
  assert.match(judge({ status: 301, location: 'https://other' }).message, /redirects to https:\/\/other/);
});

test('a clock may differ by two minutes', () => {
  assert.equal(judgeClock(-120_000).status, 'ok');
  assert.match(judgeClock(185_000).message, /3 min 5 s ahead of/);
  assert.match(judgeClock(-185_000).message, /behind/);
});

test('certificates that expire soon, and a disk with little space, are warnings', () => {
  const now = Date.UTC(2030, 0, 1);
  assert.match(judgeCertificate('x', now + 14 * 86_400_000, now).message, /Valid until 2030-01-15/);
  assert.equal(judgeCertificate('x', now + 13 * 86_400_000, now).status, 'warning');
  assert.equal(judgeSpace('/tmp', 5 * GIB).status, 'ok');
  assert.equal(judgeSpace('/tmp', GIB).status, 'warning');
});

test('proxies are listed without their passwords', () => {
  assert.match(judgeProxy([], true).message, /No proxy/);
  const variables = [['HTTPS_PROXY', 'http://user:secret@proxy:3128']] as const;
  assert.equal(judgeProxy(variables, true).message, 'Requests use HTTPS_PROXY=http://…@proxy:3128.');
  assert.equal(judgeProxy(variables, false).status, 'warning');
});
