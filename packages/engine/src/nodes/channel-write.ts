import { CHANNEL_REDUCERS, type ChannelReducer, type Json } from '@baton/protocol';
import Type from 'typebox';
import { completeNode } from '../kernel/execute.ts';
import { entriesToKeep, hasMessage, reducerOnWire } from '../kernel/fold/channels.ts';
import type { NodeType } from '../kernel/model.ts';
import { emit, type WorkingRun } from '../kernel/working-run.ts';

const Config = Type.Object(
  {
    channelName: Type.String({ minLength: 1, maxLength: 256 }),
    reducer: Type.Optional(Type.Unsafe<ChannelReducer>({ enum: [...CHANNEL_REDUCERS] })),
    ttlMs: Type.Optional(Type.Integer({ minimum: 1 })),
    value: Type.Optional(Type.Unsafe<Json>({})),
  },
  { additionalProperties: false },
);
type ChannelWrite = Type.Static<typeof Config>;

/** Writes `value`, from its inputs or else from its config, to a channel. */
export const channelWrite: NodeType = {
  typeId: 'core.channelWrite',
  config: Config,
  start: ({ config, inputs }) => ({
    do: 'act',
    act: (working, nodeId) => {
      const write = config as ChannelWrite;
      writeChannel(working, nodeId, { ...write, value: inputs.value ?? write.value ?? null });
      completeNode(working, nodeId);
    },
  }),
};

/**
 * First removes entries beyond the channel's limits of age and size. A message is not written a second time.
 */
export function writeChannel(working: WorkingRun, nodeId: string, write: ChannelWrite): void {
  const { channelName: channel, value = null } = write;
  const declared = working.plan.definition.channels?.[channel];
  const reducer = write.reducer ?? declared?.reducer ?? 'replace';
  const current = working.run.channels[channel];
  if (reducer === 'message' && hasMessage(current, value)) return;
  const { now, timestamp } = working.tree.world;
  const keep = entriesToKeep(current, now, write.ttlMs ?? declared?.ttlMs, declared?.maxSize);
  if (Array.isArray(current) && keep < current.length) {
    emit(working, 'baton.channel.trimmed', { channel, keep }, nodeId);
  }
  const payload = { channel, value, reducer: reducerOnWire(reducer), nodeId, writtenAt: timestamp };
  emit(working, 'channel.written', payload, nodeId);
}
