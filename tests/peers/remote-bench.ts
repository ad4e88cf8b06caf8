import {
  type Effect,
  type EffectOutcome,
  newSigningKey,
  type SigningKey,
  signingKey,
  signStatement,
} from '@baton/engine';
import { digest, type JsonObject, type ResultStatement, type TerminalStatus } from '@baton/protocol';
import {
  boss,
  declare,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { type Bench, type BenchOptions, startTestEngine } from '../driver/test-engine.ts';

/** Remote workers over the real driver. The test says what the other host answers. */

export const TASK = 'task-1';
const KEY: SigningKey = signingKey(newSigningKey(), 'a test');

/** What the other host signs about a run. */
export function statement(outputs: JsonObject, more: Partial<ResultStatement> = {}): ResultStatement {
  const { status = 'completed' as TerminalStatus, ...rest } = more;
  return {
    ...signStatement(KEY, {
      hostId: 'host-b',
      runId: TASK,
      status,
      eventId: `${TASK}:7`,
      link: 'a'.repeat(64),
      checksum: digest(outputs),
    }),
    ...rest,
  };
}

export const completed = (outputs: JsonObject, more: Partial<ResultStatement> = {}): JsonObject => ({
  state: 'completed',
  outputs,
  received: digest(outputs),
  statement: { ...statement(outputs, more) },
});

export const done = (outputs: JsonObject): EffectOutcome => ({ kind: 'done', outputs });
export const pending: EffectOutcome = {
  kind: 'failed',
  error: { code: 'remote_run_pending', message: 'Not yet.' },
  retryable: true,
};

type Answer = EffectOutcome | ((effect: Effect) => EffectOutcome | Promise<EffectOutcome>);

interface Elsewhere {
  readonly meet?: Answer;
  readonly send?: Answer;
  readonly check?: Answer;
  readonly answer?: Answer;
}

const USUAL: Required<Elsewhere> = {
  meet: done({ hostId: 'host-b', repeatable: true }),
  send: done({ taskId: TASK }),
  check: done(completed({ text: 'Done there.' })),
  answer: done({ taskId: TASK }),
};

export function performing(elsewhere: Elsewhere): NonNullable<BenchOptions['perform']> {
  return async (effect) => {
    const asked = effect.kind.replace('peer.', '') as keyof Elsewhere;
    const answer = elsewhere[asked] ?? USUAL[asked];
    return typeof answer === 'function' ? answer(effect) : answer;
  };
}

export function remoteBench(elsewhere: Elsewhere = {}, options: BenchOptions = {}): Promise<Bench> {
  return startTestEngine({ perform: performing(elsewhere), ...options });
}

const WORKER = 'peer:acme/translate';

/** A run that hands its topic to the worker on the other host. `settings` may hold a merge gate. */
export const parent = (id = 'parent', config: JsonObject = {}, settings: JsonObject = {}) =>
  workflow(
    id,
    [
      node(
        'hand',
        'core.subWorkflow',
        {
          workflowId: WORKER,
          inputMapping: { task: 'topic' },
          outputMapping: { report: 'text' },
          ...config,
        },
        settings,
      ),
    ],
    {
      variables: [
        { name: 'topic', type: 'string', defaultValue: 'owls' },
        { name: 'report', type: 'string' },
      ],
    },
  );

/** A supervisor that hands the topic to the worker on the other host. */
export const supervised = () =>
  boss(
    [hand(WORKER), TERMINATE],
    { inputMapping: { task: 'topic' }, outputMapping: { report: 'text' } },
    { variables: declare({ topic: 'owls', report: undefined }) },
  );
