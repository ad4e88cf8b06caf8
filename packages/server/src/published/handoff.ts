import {
  BatonError,
  HANDOFF_EXTENSION,
  HandoffMetadata,
  type OriginCause,
  parse,
  type RunError,
  type RunOrigin,
  runError,
} from '@baton/protocol';

/** A message or a tool call with which another host of this kind hands work over. */

/** The peer that sent a request. */
interface SendingPeer {
  readonly url: string;
  readonly hostId?: string;
}

/** Only the host itself may speak for its runs, so the host id is compared with the one of the registered peer. */
export function handoffOf(
  metadata: Readonly<Record<string, unknown>> | undefined,
  peer: SendingPeer | undefined,
): HandoffMetadata | undefined {
  const given = metadata?.[HANDOFF_EXTENSION];
  if (given === undefined) return undefined;
  const handoff = parse(HandoffMetadata, given, `The metadata "${HANDOFF_EXTENSION}"`);
  if (peer?.hostId === undefined || peer.hostId !== handoff.causationHostId) {
    throw new BatonError(
      'forbidden',
      'Only a registered peer can hand work over, and causationHostId must be the host id that is registered for it.',
    );
  }
  return handoff;
}

/** What is recorded with the start of a run that another host asked for. */
export function originOf(cause: OriginCause, handoff: HandoffMetadata, peer: SendingPeer): RunOrigin {
  return {
    cause,
    hostId: handoff.causationHostId,
    runId: handoff.parentRunId,
    causationId: handoff.causationId,
    wellKnownUrl: `${peer.url}/.well-known/openwop`,
  };
}

interface Receiver {
  readonly hostId: string;
  readonly workflowId: string;
  readonly maxDepth: number;
}

/**
 * The runs above a new run. Those of this host are named without the host, as in every other log of this host, so
 * that a child of the new run cannot be one of them either. `@here/review` is recorded as `review`.
 */
export function lineageHere({ lineage }: HandoffMetadata, hostId: string): readonly string[] {
  const prefix = `@${hostId}/`;
  return lineage.map((entry) => (entry.startsWith(prefix) ? entry.slice(prefix.length) : entry));
}

/** Why the work is not taken: hosts would hand it to each other for ever, or the runs are nested too deep. */
export function rejectionOf(
  lineage: readonly string[],
  { workflowId, maxDepth }: Omit<Receiver, 'hostId'>,
): RunError | undefined {
  if (lineage.includes(workflowId)) {
    const message = `Workflow "${workflowId}" is already running above this run: ${lineage.join(' → ')}.`;
    return runError('cycle_detected', message);
  }
  if (lineage.length < maxDepth) return undefined;
  return runError('depth_limit_exceeded', `The run would be nested deeper than ${maxDepth} runs.`);
}
