import { createContext, useContext, useSyncExternalStore } from 'react';
import { useRunViews } from '../follow/run-context.tsx';
import { lastUpTo } from '../model/at.ts';
import type { NodeTrack } from '../model/tree.ts';

interface GraphCommands {
  readonly isOpen: (id: string, childCount: number) => boolean;
  readonly toggle: (id: string) => void;
  readonly showMore: (owner: string) => void;
}

const Context = createContext<GraphCommands | undefined>(undefined);
export const GraphCommandsProvider = Context.Provider;

export function useGraphCommands(): GraphCommands {
  const commands = useContext(Context);
  if (commands === undefined) throw new Error('This part is used outside of a graph.');
  return commands;
}

type NodeLight = 'pointed' | 'cause' | 'effect' | undefined;

/** Whether a node has an event that is pointed at, or a cause or an effect of it. */
export function useNodeLight(runId: string, nodeId: string | undefined): NodeLight {
  const { store, pointed } = useRunViews();
  return useSyncExternalStore(pointed.subscribe, () => {
    const lit = pointed.lit();
    if (lit === undefined) return undefined;
    const isHere = (position: number): boolean => {
      const event = store.tree.entries[position]?.event;
      return event?.runId === runId && (nodeId === undefined || event.nodeId === nodeId);
    };
    if (isHere(lit.position)) return 'pointed';
    for (const position of lit.causes) if (isHere(position)) return 'cause';
    for (const position of lit.effects) if (isHere(position)) return 'effect';
    return undefined;
  });
}

export const LIGHT_CLASSES: Readonly<Record<Exclude<NodeLight, undefined>, string>> = {
  pointed: 'ring-2 ring-accent',
  cause: 'ring-2 ring-changed',
  effect: 'ring-2 ring-added',
};

/** Goes to the newest change of a node that is not later than the moment, or to its first one. */
export function useGoToNode(): (node: NodeTrack | undefined) => void {
  const { moment } = useRunViews();
  return (node) => {
    const positions = node?.moments.map(({ at }) => at) ?? [];
    const position = positions[Math.max(0, lastUpTo(positions, moment.position()))];
    if (position !== undefined) moment.set(position);
  };
}
