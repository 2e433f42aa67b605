import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPublicAddress } from './public-request.ts';

test('internet addresses are public', () => {
  for (const address of [
    '1.1.1.1',
    '93.184.215.14',
    '172.32.0.1',
    '192.169.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::',
  ])
    assert.equal(isPublicAddress(address), true, address);
});

test('addresses of this machine, private networks and cloud metadata, and unassigned addresses are not public', () => {
  const addresses = [
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.7'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1'],
  ];
  for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
});

test('IPv4 addresses embedded in IPv6 are not public, even if the IPv4 address is', () => {
  for (const address of [
    '::ffff:127.0.0.1',
    '::ffff:1.1.1.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '2001:0:1::',
    '::1.1.1.1',
  ])
    assert.equal(isPublicAddress(address), false, address);
});

test('addresses of private networks are never public', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const privateAddress = fc.oneof(
    fc.tuple(fc.constant(10), byte, byte, byte),
    fc.tuple(fc.constant(127), byte, byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  );
  fc.assert(fc.property(privateAddress, (parts) => !isPublicAddress(parts.join('.'))));
});

test('text that is not an address is not public', () => {
  fc.assert(fc.property(fc.domain(), (name) => !isPublicAddress(name)));
  for (const text of ['', '1', '0x7f.1', '127.1', '[::1]', 'localhost'])
    assert.equal(isPublicAddress(text), false, text);
});
