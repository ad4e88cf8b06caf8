import { digest, type Json, type RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../conformance/src/testkit/simulation.ts';
import {
  gatedBoss,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';
import { auditRun, type RunAudit } from './audit-run.ts';

type Config = Record<string, unknown>;
type Rewrite = (event: RunEvent) => unknown;

const writer = worker('writer', { text: 'draft', note: 'private' });
const critic = (answer: Record<string, Json>) => worker('critic', answer);
/** A critic that sends the first attempt back and passes the second. */
const moody = workflow('critic', [
  node('judge', 'vendor.baton.set', {
    assign: { verdict: 'inputs.attempt > 1 ? "pass" : "revise"', feedback: '"again"' },
  }),
]);

interface Case {
  readonly run: Simulation;
  readonly definition: unknown;
}

function gated(
  settings: Config,
  more: readonly unknown[] = [],
  plan: readonly unknown[] = [hand('writer'), TERMINATE],
  options: SimulationOptions = {},
  variables: readonly Config[] = [],
): Case {
  const mapping = { outputMapping: { report: 'text' } };
  const definition = { ...gatedBoss(settings, mapping, plan), variables };
  return { run: simulate([definition, writer, ...more], options), definition };
}

/** The audit of the logs of a simulation, after some events were rewritten. */
async function audit({ run, definition }: Case, rewrite: Rewrite = (event) => event): Promise<RunAudit> {
  const found = await auditRun(
    {
      events: async (_tenant, runId, from, limit) =>
        run
          .events(runId)
          .slice(from, from + limit)
          .map((event) => JSON.stringify(rewrite(structuredClone(event)))),
      definition: async () => JSON.stringify(definition),
      run: async () => undefined,
      peers: async () => [],
    },
    { tenant: 'acme', runId: 'root' },
  );
  return found!;
}

const CHECKSUM = { outputAttestation: { checksum: true } };
const APPROVAL = { outputAttestation: { checksum: true, requireApproval: true } };
const VOUCHED = { name: 'report', from: 'text', matches: true, current: true };

describe('an audit', () => {
  it('has no quarrel with a value that was sealed on its way into the parent', async () => {
    const values: readonly Json[] = [
      { action: 'accept' },
      { action: 'edit-accept', editedArtifactData: { text: 'edited' } },
    ];
    for (const value of values) {
      const sealed = gated(APPROVAL, [], undefined, {}, [
        { name: 'report', type: 'string', sensitive: true },
      ]);
      sealed.run.resolve('dispatch', value);
      expect(sealed.run.run().variables.report).toMatch(/^sealed:v1:/);
      expect((await audit(sealed)).allMatch).toBe(true);
    }
  });

  it('ATTEST-03 recomputes the checksum from the log of the child', async () => {
    const { attestations, allMatch } = await audit(gated(CHECKSUM));
    expect(attestations).toEqual([
      {
        nodeId: 'dispatch',
        workerId: 'writer',
        childRunId: 'root.1',
        merged: true,
        why: 'no-objection',
        approvedBy: [],
        checksum: digest({ text: 'draft' }),
        recomputed: digest({ text: 'draft' }),
        matches: true,
        variables: [VOUCHED],
      },
    ]);
    expect(allMatch).toBe(true);
  });

  it('ATTEST-18 names everybody who approved', async () => {
    const quorum = { ...APPROVAL.outputAttestation, approversList: ['bo', 'cy'], requiredApprovals: 2 };
    const given = gated({ outputAttestation: quorum });
    given.run.resolve('dispatch', { action: 'accept' }, { by: 'bo' });
    given.run.resolve('dispatch', { action: 'accept' }, { by: 'cy' });
    const { attestations } = await audit(given);
    expect(attestations).toMatchObject([{ why: 'approved', approvedBy: ['bo', 'cy'], variables: [VOUCHED] }]);
  });

  it('ATTEST-12 recomputes an edit from the answer of whoever made it', async () => {
    const given = gated(APPROVAL);
    given.run.resolve('dispatch', { action: 'edit-accept', editedArtifactData: { text: 'better' } });
    const { attestations, allMatch } = await audit(given);
    expect(attestations).toMatchObject([
      {
        why: 'edited',
        checksum: digest({ text: 'draft' }),
        editedChecksum: digest({ text: 'better' }),
        recomputedEdit: digest({ text: 'better' }),
        matches: true,
        variables: [VOUCHED],
      },
    ]);
    expect(allMatch).toBe(true);
  });

  it('has no quarrel with an edit that was sealed as a whole and therefore not merged', async () => {
    const given = gated(APPROVAL);
    given.run.resolve('dispatch', { action: 'reject' });
    const resumeValue = { action: 'edit-accept', editedArtifactData: 'sealed:v1:artifact:AAAo86_l1Xl6tYIy' };
    const { attestations, allMatch } = await audit(given, (event) =>
      event.type === 'interrupt.resolved'
        ? { ...event, payload: { ...event.payload, outcome: 'answered', resumeValue } }
        : event,
    );
    expect(attestations).toMatchObject([{ merged: false, why: 'rejected', matches: true }]);
    expect(allMatch).toBe(true);
  });

  it('VERIFY-07 names the critic and its run', async () => {
    const { attestations } = await audit(
      gated({ verifier: { workflowId: 'critic' } }, [critic({ verdict: 'pass' })]),
    );
    expect(attestations).toMatchObject([
      {
        why: 'verdict-passed',
        verdict: { verdict: 'pass', agentId: 'critic', criticRunId: 'root.2' },
        variables: [VOUCHED],
      },
    ]);
    expect(attestations[0]).not.toHaveProperty('matches');
  });

  it('lists every attempt of a worker that was sent back', async () => {
    const { attestations, allMatch } = await audit(
      gated({ ...CHECKSUM, verifier: { workflowId: 'critic' } }, [moody]),
    );
    expect(
      attestations.map(({ childRunId, merged, why, matches }) => [childRunId, merged, why, matches]),
    ).toEqual([
      ['root.1', false, 'revised', true],
      ['root.3', true, 'verdict-passed', true],
    ]);
    expect(attestations.map((one) => one.variables)).toEqual([[], [VOUCHED]]);
    expect(allMatch).toBe(true);
  });

  it('says which value a later merge has replaced', async () => {
    const { attestations } = await audit(gated(CHECKSUM, [], [hand('writer'), hand('writer'), TERMINATE]));
    expect(attestations.map((one) => one.variables[0]?.current)).toEqual([false, true]);
  });

  it.each([
    ['rejected', (run: Simulation) => run.resolve('dispatch', { action: 'reject' })],
    ['undecided', () => {}],
    ['stopped', (run: Simulation) => run.cancel()],
  ])('ATTEST-19 shows what was not merged as %s', async (why, act) => {
    const given = gated(APPROVAL);
    act(given.run);
    expect((await audit(given)).attestations).toMatchObject([{ merged: false, why, variables: [] }]);
  });

  it('reads a log without chain events', async () => {
    const plan = [hand('writer'), TERMINATE];
    const { attestations } = await audit(gated(APPROVAL, [], plan, { chainEvents: false }));
    expect(attestations).toMatchObject([{ childRunId: 'root.1', matches: true }]);
  });

  it('covers everything a child has where nothing is mapped', async () => {
    const definition = workflow('p', [
      node('call', 'core.subWorkflow', { workflowId: 'writer', ...CHECKSUM }),
    ]);
    const { attestations } = await audit({ run: simulate([definition, writer]), definition });
    const everything = digest({ text: 'draft', note: 'private' });
    expect(attestations).toMatchObject([{ checksum: everything, recomputed: everything, matches: true }]);
  });

  it('has nothing to say about a run without gates', async () => {
    expect(await audit(gated({}))).toEqual({ runId: 'root', attestations: [], allMatch: true });
  });
});

describe('an audit of logs that somebody changed', () => {
  const inChild =
    (change: (event: RunEvent) => void): Rewrite =>
    (event) => {
      if (event.runId === 'root.1') change(event);
      return event;
    };
  const inParent =
    (change: (event: RunEvent) => void): Rewrite =>
    (event) => {
      if (event.runId === 'root') change(event);
      return event;
    };
  const variables = { text: 'forged', note: 'private' };

  it.each<[string, Rewrite]>([
    [
      "the child's values",
      inChild((event) => event.type === 'run.started' && Object.assign(event.payload, { variables })),
    ],
    [
      'how the child ended',
      inChild(
        (event) => void (event.type === 'run.completed' && Object.assign(event, { type: 'run.cancelled' })),
      ),
    ],
    ['a type that means nothing', inChild((event) => Object.assign(event, { type: 'made.up' }))],
    [
      'the merged value',
      inParent(
        (event) => event.type === 'variable.changed' && Object.assign(event.payload, { next: 'forged' }),
      ),
    ],
    [
      'the checksum on one of its two places',
      inParent((event) => {
        if (event.type !== 'baton.merge.settled') return;
        Object.assign(event.payload, { attestation: { checksum: digest('x'), algorithm: 'sha256' } });
      }),
    ],
  ])('notices a change of %s', async (_what, rewrite) => {
    const given = gated(CHECKSUM);
    expect((await audit(given)).allMatch).toBe(true);
    expect((await audit(given, rewrite)).allMatch).toBe(false);
  });

  it('notices a changed answer', async () => {
    const given = gated(APPROVAL);
    given.run.resolve('dispatch', { action: 'edit-accept', editedArtifactData: { text: 'better' } });
    const { attestations, allMatch } = await audit(
      given,
      inParent((event) => {
        if (event.type !== 'interrupt.resolved') return;
        const resumeValue = { action: 'edit-accept', editedArtifactData: { text: 'forged' } };
        Object.assign(event.payload, { resumeValue });
      }),
    );
    expect(attestations).toMatchObject([{ matches: false, variables: [{ matches: false }] }]);
    expect(allMatch).toBe(false);
  });
});
