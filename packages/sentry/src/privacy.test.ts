import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPrivateName, redactAddress, redactText } from './privacy.ts';

describe('isPrivateName', () => {
  it('is true for what says who or where someone is, in any spelling', () => {
    for (const name of [
      'ip_address',
      'IP',
      'Client-IP',
      'server_name',
      'hostName',
      'sys.argv',
      'commandLine',
      'command_line_arguments',
      'environ',
      'Cookie',
      'Set-Cookie',
      'http.query',
      'e-mail',
      'user_name',
      'API_KEY',
      'accessToken',
      'db_password',
      'Authorization',
      'vars',
      'device_unique_identifier',
    ])
      assert.equal(isPrivateName(name), true, name);
  });

  it('is false for what games send', () => {
    for (const name of [
      'level',
      'scene',
      'environment_map',
      'environment',
      'tip',
      'ship',
      'zip',
      'keyboard',
      'secret_door',
      'users_online',
      'gpu',
      'tokens_left',
      'region',
      'game_mode',
      'argument',
    ])
      assert.equal(isPrivateName(name), false, name);
  });
});

describe('redactText', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['GET https://a.example/x?user=ann#top failed', 'GET https://a.example/x failed'],
    ['http://ann:pw@a.example/x', 'http://a.example/x'],
    ['/home/ann/saves/1.sav and C:\\Users\\Ann\\x', '/home/<user>/saves/1.sav and C:\\Users\\<user>\\x'],
    ['what? #1 is a.b/c', 'what? #1 is a.b/c'],
    ['res://player.gd', 'res://player.gd'],
  ];
  for (const [text, redacted] of cases) it(`cleans ${text}`, () => assert.equal(redactText(text), redacted));

  it('removes the query of an address without a host', () => {
    assert.equal(redactAddress('/level?user=ann'), '/level');
  });

  it('takes linear time', () => {
    const start = process.cpuUsage();
    for (const piece of ['http://', 'http://a?', 'http://@', '/home/', 'a://b?c ']) redactText(piece.repeat(4000));
    assert.ok(process.cpuUsage(start).user < 2_000_000);
  });
});
