// cspell:ignore rundll
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openerOf } from './login.ts';

const URL = 'https://games.example/cli/login?code=A&b=$(id)';

test('a page is opened without a shell, and only where the user sees it', () => {
  for (const [platform, env, file] of [
    ['win32', {}, 'rundll32.exe'],
    ['darwin', {}, 'open'],
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
  ] as const) {
    const opener = openerOf(URL, env, platform);
    assert.deepEqual([opener?.file, opener?.args.at(-1)], [file, URL]);
  }
  for (const env of [{}, { DISPLAY: '' }, { DISPLAY: ':10', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }])
    assert.equal(openerOf(URL, env, 'linux'), null);
});
