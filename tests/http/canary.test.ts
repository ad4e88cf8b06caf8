import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, type HostProcess, startProcess } from '../crash/host-process.ts';
import { seededRandom } from '../durability/random.ts';
import { emptyFolder } from '../empty-folder.ts';
import { type OpenApi, type Operation, operationsOf, type Schema } from '../fuzz/operations.ts';
import { fitting } from '../fuzz/values.ts';
import { bytesBelow, traces } from '../spellings.ts';
import { firstPart } from './host.ts';

/** Secrets in every input of every route: no answer, no line of the log and no byte on the disk may hold them. */

const PLAIN = 'canary-7d1f0a5be2';
const AWKWARD = 'canary/9c+"4b é\\';
const CANARIES = [PLAIN, AWKWARD];

const DEFINITION = {
  id: 'asks',
  nodes: [
    {
      id: 'keep',
      typeId: 'vendor.baton.memory.write',
      inputs: { key: variable('note'), content: variable('note') },
    },
    {
      id: 'file',
      typeId: 'vendor.baton.workspace.write',
      config: { path: 'from-run.md' },
      inputs: { content: variable('note') },
    },
    {
      id: 'gate',
      typeId: 'core.approvalGate',
      config: { title: 'Well?', actions: ['accept', 'reject', 'edit-accept'] },
      inputs: { note: variable('note') },
    },
  ],
  edges: [
    { sourceNodeId: 'keep', targetNodeId: 'file' },
    { sourceNodeId: 'file', targetNodeId: 'gate' },
  ],
  variables: [{ name: 'note', type: 'string' }],
};

function variable(variableName: string) {
  return { type: 'variable', variableName };
}

const base = emptyFolder();
const data = join(base, 'data');
const workflows = mkdtempSync(join(base, 'workflows-'));
const secrets = join(base, 'secrets.json');
let host: HostProcess | undefined;
let output = '';

beforeAll(() => {
  writeFileSync(join(workflows, 'asks.json'), JSON.stringify(DEFINITION));
  writeFileSync(secrets, JSON.stringify({ default: { plain: PLAIN, awkward: AWKWARD } }));
  chmodSync(secrets, 0o600);
});
afterAll(async () => {
  await host?.kill('SIGTERM');
});

async function start(folder: string, env: Record<string, string>): Promise<HostProcess> {
  await host?.kill('SIGTERM');
  output = '';
  host = await startProcess(folder, workflows, { BATON_LOG_LEVEL: 'trace', ...env });
  for (const stream of [host.process.stdout, host.process.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return host;
}

interface Told {
  readonly status: number;
  readonly text: string;
}

async function tell(path: string, init: RequestInit = {}): Promise<Told> {
  const response = await fetch(`${host?.url}${path}`, {
    ...init,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${API_KEY}`,
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
      ...init.headers,
    },
  });
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return { status: response.status, text: `${headers}\n${await firstPart(response)}` };
}

const post = (path: string, body: unknown, headers = {}) =>
  tell(path, { method: 'POST', body: JSON.stringify(body), headers });

/** A run that waits with a canary in all that a caller can give, and what leads to it. */
async function waitingRun(canary: string, key = canary) {
  const { text } = await post(
    '/v1/runs',
    {
      workflowId: 'asks',
      inputs: { note: `note ${canary}`, [canary]: [canary, { deep: canary }] },
      tags: [canary],
      metadata: { [canary]: canary },
      scopeId: `scope-${canary}`,
    },
    { prefer: 'wait=20', 'idempotency-key': `key-${encodeURIComponent(key)}` },
  );
  const body = JSON.parse(text.slice(text.indexOf('\n{') + 1)) as {
    runId: string;
    status: string;
    interrupt: { interruptId: string; interruptToken: string };
  };
  expect(body.status).toBe('waiting-approval');
  return { runId: body.runId, ...body.interrupt, created: text };
}

/** Every way to be told about a run. */
async function toldAbout(run: {
  runId: string;
  interruptId: string;
  interruptToken: string;
}): Promise<string> {
  const { runId, interruptId, interruptToken } = run;
  const answers: Told[] = [];
  for (const path of [
    `/v1/runs/${runId}`,
    '/v1/runs',
    '/v1/interrupts',
    `/v1/interrupts/${interruptToken}`,
    `/v1/runs/${runId}/artifacts/${interruptId}`,
    `/v1/runs/${runId}/events`,
    `/v1/runs/${runId}/events/poll`,
    `/v1/runs/${runId}/state`,
    `/v1/runs/${runId}/attestations`,
    `/v1/runs/${runId}/debug-bundle`,
    '/v1/host/workspace/files',
    '/v1/host/workspace/files/from-run.md',
    '/v1/workflows/asks',
  ]) {
    const answer = await tell(path);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    answers.push(answer);
  }
  answers.push(await post(`/v1/runs/${runId}/cancel`, {}));
  for (const mode of ['updates', 'values', 'messages', 'debug']) {
    for (const buffer of ['', '&bufferMs=1']) {
      const path = `/v1/runs/${runId}/events?streamMode=${mode}${buffer}`;
      answers.push(await tell(path, { headers: { accept: 'text/event-stream' } }));
    }
  }
  return answers.map((answer) => answer.text).join('\n');
}

describe('a value that is among the secrets', () => {
  it('is told and stored nowhere, in whichever input it came', async () => {
    await start(data, { BATON_SECRETS_FILE: secrets });
    const told: string[] = [];
    const victim = await waitingRun(PLAIN, `${PLAIN}-victim`);
    const runs = [];
    for (const canary of CANARIES) {
      const run = await waitingRun(canary);
      runs.push(run);
      told.push(run.created);
    }
    const document = (await (await fetch(`${host?.url}/v1/openapi.json`)).json()) as OpenApi;
    let reached = 0;
    for (const operation of operationsOf(document)) {
      for (const canary of CANARIES) {
        for (const request of poisoned(operation, canary, victim)) {
          const answer = await tell(request.path, request.init);
          if (answer.status < 300) reached += 1;
          told.push(answer.text);
        }
      }
    }
    for (const run of runs) told.push(await toldAbout(run));
    expect(reached).toBeGreaterThan(30);
    await host?.kill('SIGTERM');
    expect(traces(told.join('\n'), CANARIES)).toEqual([]);
    expect(output).toContain('"level"');
    expect(traces(output, CANARIES)).toEqual([]);
    expect(traces(bytesBelow(data), CANARIES)).toEqual([]);
  });

  it('is told nowhere either when it was recorded before it became one', async () => {
    const folder = join(base, 'earlier');
    await start(folder, {});
    const runs = [];
    for (const canary of CANARIES) runs.push(await waitingRun(canary));
    expect(traces(await (await tell(`/v1/runs/${runs[0]?.runId}/events`)).text, [PLAIN])).not.toEqual([]);
    await start(folder, { BATON_SECRETS_FILE: secrets });
    for (const run of runs) expect(traces(await toldAbout(run), CANARIES)).toEqual([]);
    expect(traces(output, CANARIES)).toEqual([]);
  });
});

/** Requests that fit the operation, each with the canary in one place that holds a text. */
function* poisoned(operation: Operation, canary: string, run: { runId: string }) {
  const random = seededRandom(5);
  const known = (name: string) => KNOWN(run)[name];
  const pathWith = (poisonedName?: string) => {
    const value = (name: string, schema: Schema) =>
      encodeURIComponent(
        name === poisonedName ? canary : String(known(name) ?? fitting(random, schema, known, name)),
      );
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => value(name, {}));
    const query = operation.parameters.filter(
      ({ in: where, name }) => where === 'query' && name === poisonedName,
    );
    return query.length === 0 ? path : `${path}?${poisonedName}=${encodeURIComponent(canary)}`;
  };
  const json = (body: unknown) => (operation.body === undefined ? {} : { body: JSON.stringify(body) });
  const { method } = operation;
  const whole = operation.body && everything(operation.body, known);
  const asKey = { 'idempotency-key': `k${encodeURIComponent(canary)}` };
  yield { path: pathWith(), init: { method, headers: asKey, ...json(whole) } };
  for (const { name } of operation.parameters)
    yield { path: pathWith(name), init: { method, ...json(whole) } };
  if (operation.body === undefined) return;
  for (const body of withCanary(whole, canary)) yield { path: pathWith(), init: { method, ...json(body) } };
}

function KNOWN({ runId }: { runId: string }): Readonly<Record<string, unknown>> {
  return {
    runId,
    against: runId,
    workflowId: 'asks',
    nodeId: 'gate',
    path: 'other.md',
    runIds: 'no-such-run',
    mode: 'branch',
    tenantId: 'default',
    id: 'registered',
    nodes: [{ id: 'n', typeId: 'core.noop' }],
    resumeValue: { action: 'ask', question: 'why' },
    action: 'ask',
  };
}

/** A value with every member that a schema knows, so that there is a place to put something into. */
function everything(schema: Schema, known: (name: string) => unknown, name = '', depth = 0): unknown {
  const given = known(name);
  if (given !== undefined) return given;
  const alternative = (schema.anyOf ?? schema.oneOf)?.[0];
  if (alternative !== undefined) return everything(alternative, known, name, depth);
  if (schema.properties !== undefined && depth < 4) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([member, one]) => [
        member,
        everything(one, known, member, depth + 1),
      ]),
    );
  }
  if (schema.type === 'array') return schema.items ? [everything(schema.items, known, name, depth + 1)] : [];
  return schema.type === 'object' ? { a: 'text' } : fitting(seededRandom(3), schema, known, name);
}

/** The value again for each text in it, with the canary in the place of the text; and as a name of a member. */
function* withCanary(value: unknown, canary: string): Generator<unknown> {
  if (typeof value === 'string') yield `with ${canary}`;
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const one of withCanary(item, canary)) yield value.with(at, one);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, [canary]: 1 };
    for (const [name, member] of Object.entries(value)) {
      for (const one of withCanary(member, canary)) yield { ...value, [name]: one };
    }
  }
}
