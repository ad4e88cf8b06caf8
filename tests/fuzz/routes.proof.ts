import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../durability/random.ts';
import { WORKFLOWS } from '../http/workflows.ts';
import { SEED } from '../proof.ts';
import { FUZZED_TENANTS, type FuzzedHost, startFuzzedHost } from './fuzzed-host.ts';
import { type FuzzAnswer, problemWithAnswer } from './judge.ts';
import { type OpenApi, type Operation, operationsOf } from './operations.ts';
import { createPool, type Pool } from './pool.ts';
import { type FuzzRequest, randomRequest } from './requests.ts';
import { pick } from './values.ts';
import { openWire, type Wire } from './wire.ts';

/**
 * Requests that are almost right, to every route of the OpenAPI document, by every role of two tenants. The seed is
 * another one in each run and is told with a failure: BATON_FUZZ_SEED repeats it, BATON_FUZZ_REQUESTS asks for more.
 */

const REQUESTS = Number(process.env.BATON_FUZZ_REQUESTS ?? 20_000);
const AT_ONCE = 16;
const MOST_TOLD = 25;

let host: FuzzedHost;
let wire: Wire;
let operations: readonly Operation[];

beforeAll(async () => {
  host = await startFuzzedHost();
  wire = openWire(host.url, AT_ONCE);
  operations = operationsOf((await (await fetch(`${host.url}/v1/openapi.json`)).json()) as OpenApi);
});
afterAll(async () => {
  wire.close();
  await host.stop();
});

it(`answers ${REQUESTS} strange requests as it says it does (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const random = seededRandom(SEED);
  const pools = new Map<string, Pool>();
  for (const tenant of FUZZED_TENANTS) {
    pools.set(
      tenant,
      createPool(random, () =>
        pools.get(
          pick(
            random,
            FUZZED_TENANTS.filter((other) => other !== tenant),
          ),
        ),
      ),
    );
  }
  for (const tenant of FUZZED_TENANTS) await furnish(tenant, pools.get(tenant)!);
  const bodies = ({ path, method }: Operation): unknown => {
    if (path === '/v1/workflows' && method === 'POST' && random.chance(0.6)) return pick(random, WORKFLOWS);
    return undefined;
  };

  const problems = new Map<string, string>();
  const statuses = new Map<number, number>();
  let sent = 0;
  let reset = 0;

  async function one(): Promise<void> {
    const key = random.chance(0.95) ? pick(random, host.keys) : undefined;
    const pool = pools.get(key?.tenant ?? 'acme')!;
    const request = randomRequest(random, pick(random, operations), pool, bodies);
    const answer = await exchanged(request, key?.token);
    if (answer === undefined) {
      reset += 1;
      return;
    }
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (key !== undefined && answer.status < 300) pool.learn(answer.text);
    const others = FUZZED_TENANTS.filter((tenant) => tenant !== key?.tenant);
    const told = others.find((tenant) => answer.text.includes(markOf(tenant)));
    const problem =
      told === undefined ? problemWithAnswer(request, answer) : `it tells what belongs to ${told}`;
    if (problem === undefined) return;
    const where = `${request.operation.method} ${request.operation.path}: ${problem}`;
    if (!problems.has(where)) problems.set(where, described(request, answer));
  }

  async function lane(): Promise<void> {
    while (sent < REQUESTS && !host.hasEnded()) {
      sent += 1;
      await one();
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane));

  const told = [...problems].slice(0, MOST_TOLD).map(([where, how]) => `${where}\n    ${how}`);
  expect(host.hasEnded(), `the host fell: ${host.output().slice(-3000)}`).toBe(false);
  expect(told.join('\n'), failuresIn(host.output())).toBe('');
  // A connection is closed under a request only where the host refused to read the rest of it.
  expect(reset).toBeLessThan(REQUESTS / 100);
  expect([...statuses.keys()].some((status) => status < 300)).toBe(true);
  await expectAliveAndIdle();
});

/** The failures that the host has written to its log, each once, with where it came from. */
function failuresIn(output: string): string {
  const found = output.split('\n').flatMap((line) => {
    const stack = /"stack":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    return stack === undefined ? [] : [stack.split('\\n').slice(0, 5).join('\n')];
  });
  return [...new Set(found)].join('\n');
}

/** What belongs to a tenant, and nobody else is told. No request of the fuzzer holds it. */
function markOf(tenant: string): string {
  return `belongs-to-${tenant}-only`;
}

/** Runs in all kinds of states. */
async function furnish(tenant: string, pool: Pool): Promise<void> {
  const inputs = { payload: { owner: markOf(tenant) } };
  for (const workflowId of ['quick', 'echo', 'gate', 'question', 'parent', 'loop', 'doomed', 'slow']) {
    const created = await call(tenant, 'POST', '/v1/runs', { workflowId, inputs, tags: [markOf(tenant)] });
    pool.learn(created);
    const { runId } = JSON.parse(created) as { runId: string };
    pool.learn(await call(tenant, 'GET', `/v1/runs/${runId}`));
  }
  pool.learn(await call(tenant, 'GET', '/v1/interrupts'));
  await call(tenant, 'PUT', '/v1/host/workspace/files/notes.md', { content: markOf(tenant) });
}

async function call(
  tenant: string,
  method: string,
  path: string,
  body?: unknown,
  prefer = '',
): Promise<string> {
  const response = await fetch(`${host.url}${path}`, {
    method,
    headers: {
      accept: 'application/json',
      authorization: `Bearer key-of-${tenant}-operator`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(prefer !== '' && { prefer }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text;
}

async function exchanged(request: FuzzRequest, key: string | undefined): Promise<FuzzAnswer | undefined> {
  try {
    return await wire.exchange(request, key);
  } catch {
    return undefined;
  }
}

function described({ method, path, headers, body }: FuzzRequest, { status, text }: FuzzAnswer): string {
  const sent = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers)} ${body?.slice(0, 1500) ?? ''}`;
  return `${sent}\n    → ${status} ${text.slice(0, 400)}`;
}

async function expectAliveAndIdle(): Promise<void> {
  const run = JSON.parse(await call('acme', 'POST', '/v1/runs', { workflowId: 'three-steps' }, 'wait=30'));
  expect(run).toMatchObject({ status: 'completed' });
  for (;;) {
    const metrics = await (await fetch(`${host.url}/metrics`)).text();
    if (/^baton_engine_queue 0$/m.test(metrics)) break;
  }
  const database = new Database(`${host.folder}/baton.db`, { readonly: true });
  const quarantined = database
    .prepare("SELECT data FROM events WHERE data LIKE '%run_quarantined%' LIMIT 3")
    .all();
  database.close();
  expect(quarantined).toEqual([]);
}
