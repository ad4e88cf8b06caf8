import { BatonError, type CreateRun, type JsonObject } from '@baton/protocol';
import type { AgentDefinition } from '../builder/agent-definition.ts';
import type { Declarations, InputsOf, RequiredIn } from '../builder/variables.ts';
import type { TypedWorkflow } from '../builder/workers.ts';
import { type HostOptions, startProcessHost } from './host.ts';
import { libraryOf } from './library.ts';
import { requireKnownScripts, requirePart, requireStep, requireStorable } from './mistakes.ts';
import { agentIn, type GivenAgent, type GivenWorkflow, type Part, sorted, workflowIn } from './parts.ts';
import type { TestRun } from './run-types.ts';
import type { Step } from './steps.ts';
import { testRun } from './test-run.ts';

/** How a run is started, beside its inputs. */
export interface StartOptions extends Pick<CreateRun, 'configurable' | 'scopeId' | 'tags' | 'metadata'> {
  /** The principal. `author` if absent. */
  readonly by?: string;
  /** The scopes of the run. Without them it is not restricted. */
  readonly scopes?: readonly string[];
}

/** Inputs with options, in place of the inputs. */
export interface Start<Inputs> {
  readonly '~start': { readonly inputs: Inputs; readonly options: StartOptions };
}

/** Starts the run with options, for example with the memory of a `scopeId`. */
export function start<Inputs extends JsonObject>(inputs: Inputs, options: StartOptions): Start<Inputs> {
  return { '~start': { inputs, options } };
}

type InputsFor<Subject> =
  Subject extends AgentDefinition<infer Task, infer _Result>
    ? unknown extends Task
      ? JsonObject
      : Task
    : Subject extends TypedWorkflow<infer D>
      ? InputsOf<D>
      : JsonObject;

type NeedsInputs<Subject> =
  Subject extends TypedWorkflow<infer D>
    ? Declarations extends D
      ? false
      : [RequiredIn<D>] extends [never]
        ? false
        : true
    : false;

type Beginning<Subject> = InputsFor<Subject> | Start<InputsFor<Subject>>;

type WhenArguments<Subject> =
  NeedsInputs<Subject> extends true
    ? [inputs: Beginning<Subject>, ...steps: Step[]]
    : [inputs: Beginning<Subject>, ...steps: Step[]] | Step[];

/** A workflow or an agent with everything around it. */
export interface Given<Subject> {
  /**
   * Starts a run and takes the steps, one after the other. The result is a promise of the run, so `then` can check it,
   * or `await` give it.
   */
  when(...given: WhenArguments<Subject>): Promise<TestRun>;
}

/**
 * Begins a test of a workflow or of an agent, in this process: no server, no network, a simulated clock and a scripted
 * model. `parts` are the workflows, agents and tools that it uses. Every `when` is a world of its own: it begins with no runs, no memory and no files.
 *
 * @example
 * import { workflow } from '@baton/client/builder';
 * import { accept, ended, given, hasVariables, pass } from '@baton/client/testing';
 *
 * const release = workflow('release', { variables: { version: 'string', outcome: 'string' } })
 *   .approval('approve', { title: 'Ship it?' }, { inputs: { version: 'version' } })
 *   .set('publish', { outcome: "variables.version + ' is out'" }, { after: 'approve' });
 *
 * await given(release)
 *   .when({ version: '2.0' }, pass('3d'), accept('approve'))
 *   .then(ended('completed'))
 *   .then(hasVariables({ outcome: '2.0 is out' }));
 */
export function given<Subject extends GivenWorkflow | GivenAgent>(
  subject: Subject,
  ...parts: readonly Part[]
): Given<Subject> {
  for (const part of [subject, ...parts]) requirePart(part);
  let prepared: Prepared | undefined;
  return {
    async when(...given) {
      prepared ??= prepare(subject, parts);
      const [first, ...rest] = given as readonly (JsonObject | Start<JsonObject> | Step)[];
      const steps = (typeof first === 'function' ? [first, ...rest] : rest) as readonly Step[];
      for (const step of steps) requireStep(step);
      const run = await started(prepared, typeof first === 'function' ? {} : (first ?? {}));
      for (const step of steps) await step(run);
      return run;
    },
  };
}

interface Prepared extends HostOptions {
  readonly id: Pick<CreateRun, 'workflowId' | 'agentId'>;
}

/** What all tests of one `given` have in common. */
function prepare(subject: GivenWorkflow | GivenAgent, parts: readonly Part[]): Prepared {
  const all = sorted([subject, ...parts]);
  requireKnownScripts(all);
  return { ...all, library: libraryOf(all), id: idOf(subject) };
}

async function started(
  { id, ...options }: Prepared,
  beginning: JsonObject | Start<JsonObject>,
): Promise<TestRun> {
  const host = await startProcessHost(options);
  const { inputs, options: how } = isStart(beginning)
    ? beginning['~start']
    : { inputs: beginning, options: {} };
  requireStorable(inputs);
  const { by = 'author', scopes, ...more } = how;
  const caller = { tenant: host.tenant, principal: by };
  const reply = await host.execute({
    kind: 'create-run',
    caller,
    body: { ...id, inputs, ...more },
    ...(scopes && { scopes }),
  });
  if (reply.kind !== 'run') throw new BatonError('internal_error');
  return testRun(host, reply.runId, by);
}

function isStart(beginning: JsonObject | Start<JsonObject>): beginning is Start<JsonObject> {
  return '~start' in beginning;
}

function idOf(subject: GivenWorkflow | GivenAgent): Pick<CreateRun, 'workflowId' | 'agentId'> {
  const agent = agentIn(subject);
  return agent ? { agentId: agent.manifest.agentId } : { workflowId: workflowIn(subject)?.id ?? '' };
}
