import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All IPv6 addresses that are assigned to hosts on the internet begin with the bits 001. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, shared, reserved and multicast
 * addresses are not, and neither are IPv6 addresses that lead to an IPv4 address (NAT64, 6to4, Teredo). An IPv4
 * address in IPv6 form is judged as the IPv4 address: `::ffff:127.0.0.1` is loopback.
 */
export function isPublicAddress(address: string): boolean {
  // An address with a zone (`fe80::1%eth0`) belongs to one network card.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}

const LOCAL_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal']);

/**
 * Whether an address is one of this machine or of a private network. Link-local addresses are not: cloud providers
 * serve the credentials of a machine on one of them.
 */
export function isLocalAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  return LOCAL_RANGES.has(ipaddr.process(address).range());
}
