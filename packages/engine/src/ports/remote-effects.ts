import { ErrorObject, HostId, type Json, type JsonObject, ResultStatement } from '@baton/protocol';
import Type from 'typebox';

/**
 * The effects with which a run hands its work to another host. A run of `peer:acme/translate` is a run of this
 * host whose one node asks for them in turn. So a remote worker has a log here, and everything that holds for
 * child runs holds for it.
 */

/** Finds out which host answers at the address of the peer, and what it can promise. Its outcome is `MetPeer`. */
export const PEER_MEET = 'peer.meet';
/** Sends the work. Its outcome is `SentWork`. */
export const PEER_SEND = 'peer.send';
/**
 * Asks how far the work is. Its outcome is `FinishedWork`. While the work goes on, the try fails with
 * `remote_run_pending` and is made again later, or as soon as the peer reports the end.
 */
export const PEER_CHECK = 'peer.check';
/** Sends the answer of a person to a peer that asked for it. Its outcome is `SentWork`. */
export const PEER_ANSWER = 'peer.answer';

export interface MeetRequest {
  readonly peer: string;
  readonly worker: string;
}

export const MetPeer = Type.Object(
  {
    /** Absent for a peer of another kind, which does not say which host it is. */
    hostId: Type.Optional(HostId),
    /** The peer recognises a repeated message, so it can be sent again after a crash. */
    repeatable: Type.Boolean(),
    problem: Type.Optional(ErrorObject),
  },
  { additionalProperties: false },
);
export type MetPeer = Type.Static<typeof MetPeer>;

export interface SendRequest extends MeetRequest {
  readonly inputs: JsonObject;
  readonly causationId: string;
  readonly lineage: readonly string[];
  readonly repeatable: boolean;
  /** The key of the first message, when a person decided to send it again. */
  readonly key?: string;
}

export interface CheckRequest extends MeetRequest {
  readonly taskId: string;
  readonly hostId?: string;
}

export interface AnswerRequest extends CheckRequest {
  readonly answer: Json;
}

export const SentWork = Type.Object(
  {
    /** Absent when the host stopped while it sent a message that may not be repeated. */
    taskId: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,256}$' })),
    /** The whole result, of an agent of another kind that answered at once. */
    outputs: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object' })),
    problem: Type.Optional(ErrorObject),
  },
  { additionalProperties: false },
);
export type SentWork = Type.Static<typeof SentWork>;

export const FinishedWork = Type.Object(
  {
    state: Type.Unsafe<'completed' | 'failed' | 'cancelled' | 'question'>({
      enum: ['completed', 'failed', 'cancelled', 'question'],
    }),
    /** The variables of a run that completed, or the artifacts of an agent of another kind. */
    outputs: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object' })),
    /** What a peer of this kind has signed about the run. The performer has checked the signature. */
    statement: Type.Optional(ResultStatement),
    /**
     * The checksum of the outputs as they arrived. It is computed before secrets of this host are hidden in them,
     * so it may differ from that of the recorded outputs.
     */
    received: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    /** The question of a peer of another kind. */
    question: Type.Optional(Type.String({ maxLength: 65_536 })),
    error: Type.Optional(ErrorObject),
  },
  { additionalProperties: false },
);
export type FinishedWork = Type.Static<typeof FinishedWork>;
