import { CONTRACTS, type RouteContract } from '@baton/protocol';
import { afterAll, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

const host = await sharedHost();
afterAll(() => host.stop());

const nameOf = ({ method, path }: RouteContract) => `${method} ${path}`;

it('has one route for every contract', () => {
  const bound = host.observed.routes.flatMap(({ contract }) => contract ?? []);
  expect(bound.map(nameOf).sort()).toEqual(Object.values(CONTRACTS).map(nameOf).sort());
});

it('has a contract for every route; what has none refuses the method', async () => {
  const others = host.observed.routes.filter(({ contract }) => contract === undefined);
  expect(others.length).toBeGreaterThan(100);
  const answered: string[] = [];
  for (const { method, url } of others) {
    const { status } = await host.send(method, addressFor(url));
    if (status !== 405) answered.push(`${method} ${url} answered ${status}`);
  }
  expect(answered).toEqual([]);
});

/** An address that the router leads to `url`, in which a doubled colon stands for one. */
function addressFor(url: string): string {
  return url
    .split('::')
    .map((part) => part.replace(/:\w+(\([^)]*\))?/g, 'x').replace('*', 'x'))
    .join(':');
}
