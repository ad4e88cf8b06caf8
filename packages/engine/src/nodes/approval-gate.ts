import {
  APPROVAL_ACTIONS,
  type ApprovalAction,
  type ApprovalData,
  isJsonObject,
  type JsonObject,
  MAX_WAIT_MS,
  REJECTION_POLICIES,
  runError,
} from '@baton/protocol';
import Type from 'typebox';
import type { Answer, Finish, NodeType } from '../kernel/model.ts';

const ApprovalConfig = Type.Object(
  {
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    artifactType: Type.Optional(Type.String({ minLength: 1 })),
    actions: Type.Optional(
      Type.Array(Type.Unsafe<ApprovalAction>({ enum: [...APPROVAL_ACTIONS] }), {
        minItems: 1,
        uniqueItems: true,
      }),
    ),
    requiredApprovals: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    rejectionPolicy: Type.Optional(Type.Unsafe({ enum: [...REJECTION_POLICIES] })),
    approversList: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    profile: Type.Optional(Type.String()),
    overrideBypassesQuorum: Type.Optional(Type.Boolean()),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
    onReject: Type.Optional(Type.Unsafe<'fail' | 'continue'>({ enum: ['fail', 'continue'] })),
  },
  { additionalProperties: false },
);

/** Asks people to approve its inputs. A rejection fails the node, unless `onReject` is `continue`. */
export const approvalGate: NodeType = {
  typeId: 'core.approvalGate',
  config: ApprovalConfig,
  start: ({ config, inputs, node }) => ({
    do: 'ask',
    request: (key) => ({
      kind: 'approval',
      key,
      data: approvalData(key, config, inputs, node.name ?? node.id),
      ...(typeof config.timeoutMs === 'number' && { timeoutMs: config.timeoutMs }),
    }),
  }),
  answered: ({ config }, answer) => concludeApproval(answer, shown(answer), config.onReject === 'continue'),
};

function approvalData(key: string, config: JsonObject, inputs: JsonObject, name: string): ApprovalData {
  const { title, artifactType, actions, timeoutMs: _ms, onReject: _onReject, ...rest } = config;
  return {
    ...(rest as Partial<ApprovalData>),
    artifactId: key,
    artifactType: typeof artifactType === 'string' ? artifactType : 'node-inputs',
    title: typeof title === 'string' ? title : name,
    artifactData: inputs,
    actions: Array.isArray(actions) ? (actions as ApprovalAction[]) : ['accept', 'reject'],
  };
}

/** People approve the values that they were shown, even if variables have changed since. */
function shown({ request }: Answer): JsonObject {
  const artifact = request.kind === 'approval' ? request.data.artifactData : undefined;
  return isJsonObject(artifact) ? artifact : {};
}

/** The outputs contain the action, so that edges can have conditions on `outputs.action`. */
function concludeApproval(answer: Answer, artifact: JsonObject, goOnAfterReject: boolean): Finish {
  if (answer.outcome === 'timeout') {
    return { do: 'fail', error: runError('interrupt_timeout'), retryable: false };
  }
  const { action, editedArtifactData, refineFeedback, comment } = answer.value;
  if (answer.outcome === 'rejected' && !goOnAfterReject) {
    return { do: 'fail', error: runError('approval_rejected'), retryable: false };
  }
  return {
    do: 'complete',
    outputs: {
      action: answer.outcome === 'rejected' ? 'reject' : (action ?? 'accept'),
      artifact: action === 'edit-accept' && editedArtifactData !== undefined ? editedArtifactData : artifact,
      ...(isJsonObject(refineFeedback) && { refineFeedback }),
      ...(typeof comment === 'string' && { comment }),
    },
  };
}
