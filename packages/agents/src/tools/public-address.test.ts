import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

describe('an address is public', () => {
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001:81b::200e', '::ffff:8.8.8.8'])(
    '%s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('an address is not public', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'this host'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local, where clouds keep their credentials'],
    ['100.64.0.1', 'shared by customers of a provider'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'for documentation'],
    ['198.18.0.1', 'for benchmarks'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'this host'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'loopback in an old IPv6 form'],
    ['::ffff:127.0.0.1', 'loopback in IPv6 form'],
    ['::ffff:7f00:1', 'loopback in IPv6 form'],
    ['::ffff:a9fe:a9fe', 'link-local in IPv6 form'],
    ['::ffff:0:127.0.0.1', 'loopback in a translated form'],
    ['64:ff9b::7f00:1', 'loopback through NAT64'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['2002:7f00:1::', 'loopback through 6to4'],
    ['2001:0:7f00:1::', 'Teredo'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['2606:4700::1111%eth0', 'with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'for documentation'],
    ['4000::1', 'not assigned'],
    ['localhost', 'a name'],
    ['2130706433', 'a number'],
    ['0x7f000001', 'a hexadecimal number'],
    ['127.1', 'a short form'],
    ['', 'nothing'],
  ])('%s (%s)', (address) => expect(isPublicAddress(address)).toBe(false));
});
