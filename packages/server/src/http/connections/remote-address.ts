import { BlockList, isIPv4, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

const GROUPS = 8;
/** A customer of an internet provider usually has a whole IPv6 network of 64 bits, but one address of IPv4. */
const GROUPS_OF_NETWORK = 4;

/** Connections and sign-ins are counted by this: the address itself for IPv4, its first 64 bits for IPv6. */
export function networkOf(address: string): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const [left = '', right = ''] = bare.split('::');
  const before = groupsIn(left);
  const after = groupsIn(right);
  const zeros = Array<number>(Math.max(0, GROUPS - before.length - after.length)).fill(0);
  const first = [...before, ...zeros, ...after].slice(0, GROUPS_OF_NETWORK);
  return `${first.map((group) => group.toString(16)).join(':')}::/64`;
}

function groupsIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
