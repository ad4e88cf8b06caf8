import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { FetchRefusal } from './fetch-refusal.ts';

interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly FoundAddress[]>;

/** Whether the client may connect to this address. */
export type Allowed = (address: string) => boolean;

export const systemResolve: Resolve = (name) => lookup(name, { all: true, verbatim: true });

/**
 * A lookup for `net.connect` that refuses a name if any of its addresses is not allowed. The socket connects to the
 * addresses that were judged, so a name cannot have another address between the check and the connection.
 */
export function judgedLookup(resolve: Resolve, allowed: Allowed): LookupFunction {
  return (name, options, done) => {
    const give = (addresses: readonly FoundAddress[]) => {
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => allowed(address))) {
        done(addressRefused(name), '', 0);
        return;
      }
      if (options.all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    };
    resolve(name).then(give, (error: NodeJS.ErrnoException) => done(error, '', 0));
  };
}

export function addressRefused(name: string): FetchRefusal {
  return new FetchRefusal(
    'address',
    `${name} does not lead to the public internet alone, so it is not called`,
  );
}
