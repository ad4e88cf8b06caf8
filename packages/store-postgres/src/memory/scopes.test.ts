import { afterAll, expect, it } from 'vitest';
import { write } from '../../../conformance/src/store-contract/example-memory.ts';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { memoryReads } from './memory-reads.ts';
import { changeMemory } from './memory-writer.ts';

afterAll(stopServers);

it('answers also when asked for a name that Postgres could not store', async () => {
  const database = await openExample();
  for (const name of ['a', 'b'])
    expect(
      await database.transaction((queries) => changeMemory(queries, write(`scope:${name}`, 1, 'x'))),
    ).toBe(true);
  const { scope, scopes, memory } = memoryReads(database);
  expect(await scope('acme', 'scope:\0')).toBeUndefined();
  const view = ['scope:\0', 'scope:a'].map((name) => ({ scope: name, version: 1 }));
  expect(await memory({ tenant: 'acme', view, now: 0, limit: 9 })).toHaveLength(1);
  expect((await scopes('acme', 'scope:', 9, 'scope:a\0z')).map(({ name }) => name)).toEqual(['scope:b']);
});
