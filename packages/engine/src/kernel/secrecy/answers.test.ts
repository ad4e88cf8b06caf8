import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/** An edit that the kernel reads is still readable after all sensitive values in it were sealed. */

const CANARY = 'canary-value-7f3a9c';
const MASKED = { outputSensitivity: { artifact: true } };
const APPROVAL = { outputAttestation: { checksum: true, requireApproval: true } };
const MAPPING = { outputMapping: { report: 'text' } };

const writer = worker('writer', { text: 'draft' });
const textOf = (events: readonly RunEvent[]) => JSON.stringify(events);
const settledIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'baton.merge.settled' ? [event.payload] : []));

describe('an edit at a node whose artifact is sensitive', () => {
  it('is merged by a sub-workflow, with every member sealed', () => {
    const call = node(
      'call',
      'core.subWorkflow',
      { workflowId: 'writer', ...MAPPING },
      { settings: APPROVAL, ...MASKED },
    );
    const simulation = simulate([workflow('parent', [call], { variables: declare({ report: '' }) }), writer]);
    simulation.resolve('call', { action: 'edit-accept', editedArtifactData: { text: CANARY } });
    expect(settledIn(simulation.events())).toMatchObject([{ merged: true, why: 'edited' }]);
    expect(simulation.status()).toBe('completed');
    expect(simulation.run().variables.report).toMatch(/^sealed:v1:text:/);
    expect(textOf(simulation.events())).not.toContain(CANARY);
  });

  it('is merged by a dispatch node, with every member sealed', () => {
    const definition = boss([hand('writer'), TERMINATE], MAPPING) as { nodes: Record<string, unknown>[] };
    definition.nodes[1] = { ...definition.nodes[1], settings: APPROVAL, ...MASKED };
    const simulation = simulate([definition, writer]);
    simulation.resolve('dispatch', { action: 'edit-accept', editedArtifactData: { text: CANARY } });
    expect(settledIn(simulation.events())).toMatchObject([{ merged: true, why: 'edited' }]);
    expect(simulation.run().variables.report).toMatch(/^sealed:v1:text:/);
    expect(textOf(simulation.events())).not.toContain(CANARY);
  });

  it('is the decision of a supervisor, which is never secret', () => {
    const definition = boss([{ ...hand('writer'), confidence: 0.1 }]) as { nodes: Record<string, unknown>[] };
    definition.nodes[0] = { ...definition.nodes[0], ...MASKED };
    const simulation = simulate([definition, writer]);
    simulation.resolve('supervisor', { action: 'edit-accept', editedArtifactData: TERMINATE });
    expect(simulation.status()).toBe('completed');
    const resolved = simulation.of('interrupt.resolved').at(-1);
    expect(JSON.stringify(resolved?.payload)).toContain(JSON.stringify(TERMINATE));
  });
});
