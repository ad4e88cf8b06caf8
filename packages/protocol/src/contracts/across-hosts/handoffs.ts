import Type from 'typebox';
import { type Routes, RunParams } from '../contract.ts';

export const HANDOFF_CONTRACTS = {
  /** Reports of other hosts about the work that this host handed to them. */
  reportRemoteRun: {
    method: 'POST',
    path: '/v1/a2a/pushed/{runId}',
    access: 'public',
    idempotent: 'always',
    tag: 'runs',
    summary: 'Report that the work of a run on another host has ended or waits',
    description:
      'Signed as Standard Webhooks with the token that this host gave to the other one. The body is not used: this host asks the other one for the state of the work.',
    params: RunParams,
    headers: Type.Object({
      'webhook-id': Type.String({ description: 'The same for each delivery of one report' }),
      'webhook-timestamp': Type.String(),
      'webhook-signature': Type.String(),
    }),
    responses: { 204: { description: 'The other host is asked', content: {} } },
    refusals: [],
  },
} as const satisfies Routes;
