// Distinguishes public internet addresses from all others, so that no one can make this service call its own network.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Ranges that are not public or lead to such ranges (IANA IPv4 Special-Purpose Address Registry; RFC 6890). */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];

/**
 * The public addresses assigned so far (RFC 4291, section 2.4). Mapped and translated IPv4 addresses are not among
 * them.
 */
const GLOBAL_IPV6 = ['2000::/3'];

/**
 * The exceptions: documentation, tests, and tunnels whose other end can be anywhere (IANA IPv6 Special-Purpose Address
 * Registry).
 */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialIpv4 = listOf(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = listOf(GLOBAL_IPV6, 'ipv6');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');

/** Whether a packet to this address leaves for the public internet; false for anything but an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // `fe80::1%eth0` is on a local link.
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
