import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExcluded } from './proxy.ts';

const API = 'https://games.example.com:8443/api/v1';

test('NO_PROXY excludes hosts in the forms that other programs accept', () => {
  for (const [url, excluded] of [
    [API, '*'],
    [API, 'localhost, *'],
    [API, 'games.example.com'],
    [API, 'GAMES.example.com.'],
    [API, 'other,example.com'],
    [API, '.example.com'],
    [API, '*.example.com'],
    [API, 'games.example.com:8443'],
    [API, 'other games.example.com'],
    ['https://games.example.com/api/v1', '.example.com:443'],
    ['http://10.1.2.3:4000/api/v1', '10.0.0.0/8'],
    ['http://10.1.2.3/api/v1', '10.1.2.3'],
    ['http://[fd00::1]:4000/api/v1', 'fd00::/8'],
    ['http://[fd00::1]:4000/api/v1', '[fd00::1]:4000'],
    ['http://[fd00::1]/api/v1', 'fd00::1'],
  ] as const)
    assert.ok(isExcluded(url, excluded), `${excluded} excludes ${url}`);
});

test('NO_PROXY does not exclude other hosts, ports and malformed entries', () => {
  for (const [url, excluded] of [
    [API, ''],
    [API, 'ample.com'],
    [API, 'www.games.example.com'],
    [API, 'games.example.com:443'],
    [API, 'http://games.example.com'],
    ['http://10.1.2.3/api/v1', '11.0.0.0/8'],
    ['http://10.1.2.3/api/v1', '10.0.0.0/99'],
    ['http://10.1.2.3/api/v1', '2.3'],
    ['http://10.1.2.3/api/v1', 'fd00::/8'],
    ['http://[fd00::1]/api/v1', '10.0.0.0/8'],
  ] as const)
    assert.ok(!isExcluded(url, excluded), `${excluded} does not exclude ${url}`);
});
