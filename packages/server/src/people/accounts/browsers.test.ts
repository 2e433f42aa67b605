import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserNetworkOf } from './browsers.ts';

test('a network is the start of an address', () => {
  const networks: readonly [string, string][] = [
    ['203.0.113.7', '203.0.113'],
    ['::ffff:203.0.113.7', '203.0.113'],
    ['2001:db8:1:2::7', '2001:db8:1'],
    ['2001:0db8:0001::', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['::1', '0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0'],
    ['', ''],
    ['nonsense', ''],
  ];
  for (const [address, network] of networks) assert.equal(browserNetworkOf(address), network, address);
});
