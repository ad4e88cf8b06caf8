import { completeNode, identity, type NodeType, type Start, writeChannel } from '@baton/engine/extension';
import Type from 'typebox';
import { isProbe, proceedWithProbe } from './memory-probes.ts';

/** The product's node, with the additional options that the fixtures of the protocol use. */
export const probingIdentity: NodeType = {
  ...identity,
  config: Type.Object(
    {
      emitDuplicateMessageId: Type.Optional(Type.Boolean()),
      memoryAction: Type.Optional(Type.String()),
      byokSecretId: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
  start: (view) => {
    if (view.config.emitDuplicateMessageId === true) return writeTwice;
    if (isProbe(view.config.memoryAction)) return { do: 'proceed' };
    return identity.start(view);
  },
  proceed: proceedWithProbe,
};

/** Writes the same message twice, to show that a message channel contains it once. */
const writeTwice: Start = {
  do: 'act',
  act: (working, nodeId) => {
    const channels = Object.entries(working.plan.definition.channels ?? {});
    const name = channels.find(([, channel]) => channel.reducer === 'message')?.[0] ?? 'messages';
    const message = { messageId: `${nodeId}:1`, role: 'assistant', content: 'Said once.' };
    writeChannel(working, nodeId, { channelName: name, reducer: 'message', value: message });
    writeChannel(working, nodeId, { channelName: name, reducer: 'message', value: message });
    completeNode(working, nodeId, {});
  },
};
