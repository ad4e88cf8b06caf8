import { readdirSync, readFileSync } from 'node:fs';
import { connect } from '@baton/client';
import { describe, expect, it } from 'vitest';
import { METHODS, requestsOf } from './every-method.ts';

/** The client of this version against the APIs of released hosts, as `scripts/record-api.mjs` recorded them. */

interface Recorded {
  readonly version: string;
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly method: string;
        readonly path: string;
        readonly parameters: readonly {
          readonly in: string;
          readonly name: string;
          readonly required: boolean;
        }[];
        readonly body: 'none' | 'optional' | 'required';
      }
    >
  >;
}

const folder = new URL('./recorded/', import.meta.url);
const recorded = readdirSync(folder).map(
  (file): Recorded => JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
);

describe.each(recorded)('a host of version $version', ({ operations }) => {
  it.each(Object.entries(METHODS).filter(([, [, ...names]]) => names.every((name) => name in operations)))(
    'takes the requests of %s',
    async (_, use) => {
      const [, ...names] = use;
      const requests = await requestsOf(use);
      expect(requests).toHaveLength(names.length);
      for (const [index, name] of names.entries()) {
        const { method, path, parameters, body } = operations[name]!;
        const request = requests[index]!;
        const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '.+');
        expect(`${request.method} ${request.path}`).toMatch(new RegExp(`^${method} ${pattern}$`));
        const needed = (place: string) =>
          parameters.filter((one) => one.required && one.in === place).map((one) => one.name);
        expect(request.query).toEqual(expect.arrayContaining(needed('query')));
        for (const header of needed('header')) expect(request.headers.has(header)).toBe(true);
        expect(request.hasBody ? 'sent' : 'none').toMatch(
          body === 'required' ? 'sent' : body === 'none' ? 'none' : /./,
        );
      }
    },
  );

  it('knows most of the operations, so that there is something to compare', () => {
    const known = Object.values(METHODS).filter(([, ...names]) => names.every((name) => name in operations));
    expect(known.length).toBeGreaterThan(60);
  });
});

it('a host that does not know the query `runId` does not lead to an answer for another run', async () => {
  const answered: string[] = [];
  const waiting = (runId: string) => ({ runId, rootRunId: runId, nodeId: 'gate', title: 'Ship it?' });
  const baton = connect({
    url: 'http://host.example',
    async fetch(url, { method }) {
      const { pathname } = new URL(url);
      if (method === 'GET')
        return Response.json({ interrupts: [waiting('a'), waiting('b.1'), waiting('bb')] });
      answered.push(pathname);
      return Response.json({ runId: 'b.1', status: 'running' });
    },
  });
  await baton.run('b').answer({ action: 'accept' });
  await expect(baton.run('c').answer({ action: 'accept' })).rejects.toMatchObject({
    code: 'run_state_conflict',
  });
  expect(answered).toEqual(['/v1/runs/b.1/interrupts/gate']);
});
