import { MODEL_CALL, PREPARE, TOOL_CALL } from './agent-effects.ts';
import { PEER_ANSWER, PEER_CHECK, PEER_MEET, PEER_SEND } from './peers/remote-effects.ts';

/** The kinds of effects that a scheduler may hand out, by the names under which operators know them. */
export const EFFECT_POOLS: Readonly<Record<string, readonly string[]>> = {
  model: [MODEL_CALL],
  tool: [TOOL_CALL],
  agent: [PREPARE],
  peer: [PEER_MEET, PEER_SEND, PEER_CHECK, PEER_ANSWER],
};

/** The hosts of this pool ring the deadlines of trees. */
export const ALARM_POOL = 'alarm';

/** The names of all pools that a host can belong to. */
export const POOLS: readonly string[] = [...Object.keys(EFFECT_POOLS), ALARM_POOL];

const OFFERED: ReadonlySet<string> = new Set(Object.values(EFFECT_POOLS).flat());

export function isOfferedKind(kind: string): boolean {
  return OFFERED.has(kind);
}
