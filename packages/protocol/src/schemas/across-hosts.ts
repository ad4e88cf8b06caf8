import Type from 'typebox';
import { Checksum, closed, EndStatus, Id } from './parts.ts';

/** Work that one host hands to another: the names of hosts, and the facts that travel with messages and results. */

const HOST_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

/** The id by which other hosts know a host. It has no slash, so it can stand before the id of a workflow. */
export const HostId = Type.String({ pattern: HOST_ID_PATTERN });

const PEER_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{0,62}$';

/** The name that the operator of a host gives to another host. */
export const PeerName = Type.String({ pattern: PEER_NAME_PATTERN });

/** Ids of runs and events of other hosts are recorded as they are, so only plain characters are accepted. */
export const ForeignId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,255}$' });

export const TRACEPARENT_PATTERN =
  '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$';

/** Workflow ids from the root down, each after the id of its host: `@host-a/research-desk`. */
const Lineage = Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { maxItems: 64 });

/** The extension of A2A with which hosts of this kind hand work to each other. */
export const HANDOFF_EXTENSION = 'urn:baton:a2a:handoff:1';

/** What a message of a handoff says beside the inputs, under the URI of the extension in its metadata. */
export const HandoffMetadata = Type.Object(
  {
    /** The workflow or agent of the receiver. */
    worker: Type.String({ minLength: 1, maxLength: 256 }),
    parentRunId: ForeignId,
    /** The event of the sender that caused the message. */
    causationId: ForeignId,
    causationHostId: HostId,
    /** The same message always has the same key. The receiver starts one run for it. */
    idempotencyKey: Type.String({ minLength: 1, maxLength: 255 }),
    lineage: Lineage,
    traceparent: Type.Optional(Type.String({ pattern: TRACEPARENT_PATTERN })),
  },
  closed,
);
export type HandoffMetadata = Type.Static<typeof HandoffMetadata>;

export const ORIGIN_CAUSES = ['a2a-message', 'mcp-tool-call'] as const;
export type OriginCause = (typeof ORIGIN_CAUSES)[number];

/** The run of another host that started a run. It is recorded with the start. */
export const RunOrigin = Type.Object(
  {
    cause: Type.Unsafe<OriginCause>({ enum: [...ORIGIN_CAUSES] }),
    hostId: HostId,
    runId: ForeignId,
    causationId: ForeignId,
    /** Where the other host describes itself. The operator of this host has set the address. */
    wellKnownUrl: Type.String({ minLength: 1, maxLength: 2048 }),
  },
  closed,
);
export type RunOrigin = Type.Static<typeof RunOrigin>;

/**
 * What a host signs about a run that has ended. With it another host, or an auditor without any connection, can
 * check that outputs are those of the run, and that the log of the run has not changed since.
 */
export const ResultStatement = Type.Object(
  {
    hostId: HostId,
    runId: ForeignId,
    status: EndStatus,
    /** The last event of the run, and its link in the hash chain of the log. */
    eventId: ForeignId,
    link: Checksum,
    /** SHA-256 of the canonical JSON of the outputs. */
    checksum: Checksum,
    algorithm: Type.Literal('sha256'),
    keyId: Id,
    /** Ed25519, as base64, over `baton result`, a line end and the canonical JSON of the other fields. */
    signature: Type.String({ minLength: 1, maxLength: 256 }),
  },
  closed,
);
export type ResultStatement = Type.Static<typeof ResultStatement>;

/** Event types whose cause may be an event of another host. */
export const CROSS_HOST_TYPES = [
  'core.workflowChain.event',
  'core.workflowChain.confidence-escalated',
  'agent.reasoned',
  'agent.toolCalled',
  'agent.toolReturned',
  'agent.handoff',
  'agent.decided',
  'runOrchestrator.decided',
  'agent.promptResolved',
  'agent.verified',
] as const;

const PEER_WORKER = /^peer:([a-z0-9][a-z0-9-]{0,62})\/(.{1,256})$/;

/** A worker of another host, such as `peer:acme/translate`. */
export interface RemoteWorker {
  readonly peer: string;
  /** The workflow or agent of the other host. */
  readonly worker: string;
}

export function remoteWorker(workerId: string): RemoteWorker | undefined {
  const [, peer, worker] = PEER_WORKER.exec(workerId) ?? [];
  return peer === undefined || worker === undefined ? undefined : { peer, worker };
}
