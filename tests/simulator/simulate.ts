import { createHash } from 'node:crypto';
import { CONFORMANCE } from '@baton/conformance/engine';
import { startEngine } from '@baton/engine';
import type { WorkflowDefinition } from '@baton/protocol';
import type { Family } from '../fuzz/workflow-generator.ts';
import { perform } from './acts.ts';
import { ledgerOf } from './checks/ledger.ts';
import { finish } from './finish.ts';
import { type Plan, TENANTS } from './plan.ts';
import { simulatedPostgres } from './postgres/simulated-postgres.ts';
import { simulatedRestate } from './postgres/simulated-restate.ts';
import { begin } from './simulated-host.ts';
import { openStorage, type Storage } from './storage.ts';
import { timelineOf } from './timeline.ts';
import { familyNumber, familyOfNumber } from './workflows.ts';
import { complain, tell, type World } from './world.ts';

/** What came of one simulation. */
interface Result {
  readonly problems: readonly string[];
  readonly trace: readonly string[];
  /** The same for every simulation of the same plan. */
  readonly digest: string;
}

/** Does to real engines over a real store what the plan says, and checks what they have stored and said. */
export async function simulate(plan: Plan): Promise<Result> {
  const { family, storage, definitions } = await familyAt(familyNumber(plan.seed));
  storage.mark();
  const time = timelineOf();
  const trace: string[] = [];
  const world: World = {
    plan,
    family,
    time,
    postgres: plan.mode === 'postgres' ? simulatedPostgres(time, storage, plan.seed) : undefined,
    restate: plan.restate
      ? simulatedRestate({ time, seed: plan.seed, tell: (line) => tell({ trace, time }, line) })
      : undefined,
    storage,
    reads: storage.newReads(),
    store: storage.newStore(),
    ledger: ledgerOf(definitions),
    held: new Set(),
    pauses: new Map(),
    hosts: Array.from({ length: plan.hosts }, (_, at) => ({ name: `host ${'ABC'[at]}`, life: undefined })),
    faultsAreOver: false,
    sent: [],
    count: { lives: 0, roots: 0, keys: 0 },
    trace,
    problems: [],
  };
  try {
    await carryOut(world);
    await finish(world);
  } catch (problem) {
    complain(world, problem instanceof Error ? `${problem.message} ${problem.stack}` : String(problem));
  }
  await end(world);
  const digest = createHash('sha256').update(world.trace.join('\n')).digest('hex');
  return { problems: world.problems, trace: world.trace, digest };
}

async function carryOut(world: World): Promise<void> {
  const { plan, time, hosts } = world;
  for (const host of hosts) begin(world, host);
  await time.settle();
  let at = 0;
  for (const step of plan.steps) {
    at += step.after;
    time.after(at, () => {
      tell(world, `step: ${step.act}`);
      perform(world, step).catch((problem) => complain(world, `${step.act}: ${problem}`));
    });
  }
  await time.settle();
}

/** Nothing of the hosts may be left when the next simulation begins. */
async function end({ hosts, time, storage }: World): Promise<void> {
  for (const { life } of hosts) if (life !== undefined) life.trouble.dead = true;
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  time.moved();
  storage.undo();
}

interface Prepared {
  readonly family: Family;
  /** The workflows of the family are registered in it for all tenants. */
  readonly storage: Storage;
  /** By their digests. */
  readonly definitions: ReadonlyMap<string, WorkflowDefinition>;
}

let latest: { readonly number: number; readonly prepared: Promise<Prepared> } | undefined;

/** Seeds come in order, so a family is used again soon or never. */
async function familyAt(number: number): Promise<Prepared> {
  if (latest?.number === number) return latest.prepared;
  const before = await latest?.prepared;
  before?.storage.close();
  latest = { number, prepared: prepare(number) };
  return latest.prepared;
}

async function prepare(number: number): Promise<Prepared> {
  const family = familyOfNumber(number);
  const storage = openStorage();
  const definitions = new Map<string, WorkflowDefinition>();
  const store = storage.newStore();
  const engine = await startEngine({
    store: {
      ...store,
      putWorkflow(workflow, reply) {
        definitions.set(workflow.digest, JSON.parse(workflow.definition) as WorkflowDefinition);
        return store.putWorkflow(workflow, reply);
      },
    },
    effects: { perform: () => new Promise(() => undefined) },
    extension: CONFORMANCE,
    onFatal: (problem) => {
      throw problem;
    },
  });
  for (const tenant of TENANTS) {
    for (const definition of family.definitions as never[]) {
      const caller = { tenant, principal: 'ana' };
      const reply = await engine.execute({ kind: 'register-workflow', caller, definition, shared: false });
      if (!reply.ok) throw new Error(JSON.stringify(reply.error));
    }
  }
  await engine.stop();
  return { family, storage, definitions };
}
