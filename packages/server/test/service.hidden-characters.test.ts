// Names and lines that other people see are refused if a character in them hides or reverses what is next to it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';

const HIDDEN = ['\u202e', '\u2066', '\u200e', '\u200b', '\u0007', '\n'];

describe('a line with a hidden character', () => {
  let server: TestServer;
  let game: TestGame;
  let owner: { cookie: string };
  before(async () => {
    server = await startServer({ role: 'api', env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } });
    game = await makeGame(server);
    owner = await signIn(server, game.owner);
  });
  after(() => server.stop());

  const send = (method: string, path: string, body: object, headers: Record<string, string> = owner) =>
    request(server.api + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('is refused, whatever it names', async () => {
    const build = { version: '1.0', os: 'linux', arch: 'x86_64', build_type: 'game' };
    const of = `/games/${game.uid}`;
    const attempts: Record<string, (text: string) => ReturnType<typeof send>> = {
      'a game': (name) => send('POST', '/games', { name }),
      'a tagline': (tagline) => send('PATCH', of, { tagline }),
      'a content note': (note) => send('PATCH', of, { content_notes: [note] }),
      'a destination': (name) =>
        send('POST', `${of}/alert-destinations`, { kind: 'webhook', name, url: 'https://a.example', send_test: false }),
      'an agent': (name) => send('POST', '/account/agent-keys', { name, may_write: false }),
      'an upload token': (name) =>
        send('POST', `${of}/upload-tokens`, { name, scopes: ['builds'], expires_in_days: null }),
      'an organisation': (name) => send('POST', '/organisations', { name }),
      'a version': (version) => send('POST', '/tool/upload/build', { ...build, version }, game.keyHeaders),
      'a title': (title) => send('POST', '/tool/upload/build', { ...build, title }, game.keyHeaders),
      'a change': (title) =>
        send('POST', '/tool/upload/build', { ...build, changelog_items: [{ title }] }, game.keyHeaders),
    };
    for (const [name, attempt] of Object.entries(attempts))
      for (const hidden of HIDDEN) {
        const { status, body } = await attempt(`a${hidden}b`);
        assert.equal(status, 400, `${name} with ${JSON.stringify(hidden)}: ${JSON.stringify(body)}`);
        assert.match(body.error?.message ?? '', /not valid\. Expected: .*one line/, name);
      }
  });
});
