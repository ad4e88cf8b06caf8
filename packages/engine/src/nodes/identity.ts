import Type from 'typebox';
import { completeNode } from '../kernel/execute.ts';
import type { NodeType, Start } from '../kernel/node-type.ts';
import { writeChannel } from './channel-write.ts';
import { isProbe, proceedWithProbe } from './memory-probes.ts';

/** Hands its inputs on as outputs. */
export const identity: NodeType = {
  typeId: 'core.identity',
  config: Type.Object(
    {
      emitDuplicateMessageId: Type.Optional(Type.Boolean()),
      memoryAction: Type.Optional(Type.String()),
      byokSecretId: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
  start: ({ inputs, config }) => {
    if (config.emitDuplicateMessageId === true) return writeTwice;
    if (isProbe(config.memoryAction)) return { do: 'act', act: proceedWithProbe };
    return { do: 'complete', outputs: inputs };
  },
  proceed: proceedWithProbe,
};

/** Writes the same message twice, to show that a message channel holds it once. */
const writeTwice: Start = {
  do: 'act',
  act: (turn, nodeId) => {
    const channels = Object.entries(turn.plan.definition.channels ?? {});
    const name = channels.find(([, channel]) => channel.reducer === 'message')?.[0] ?? 'messages';
    const message = { messageId: `${nodeId}:1`, role: 'assistant', content: 'Said once.' };
    writeChannel(turn, nodeId, { channelName: name, reducer: 'message', value: message });
    writeChannel(turn, nodeId, { channelName: name, reducer: 'message', value: message });
    completeNode(turn, nodeId, {});
  },
};
