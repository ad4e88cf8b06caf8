import type { RunEvent, WorkflowDefinition } from '@baton/protocol';
import { isEnd, type Watch } from './watch.ts';
import { childWatch } from './watch-children.ts';
import { mergeWatch } from './watch-merges.ts';
import { type EffectName, nodeWatch } from './watch-nodes.ts';

/** All watches over one log. */
export interface LogWatch {
  /** Takes the next event of the log. */
  readonly see: Watch;
  /** The definition that the run was started with. */
  definition(): WorkflowDefinition | undefined;
  /** Whether the log has the outcome of this effect. */
  isSettled(effect: EffectName): boolean;
}

export function logWatch(definitions: ReadonlyMap<string, WorkflowDefinition>): LogWatch {
  const nodes = nodeWatch();
  const watches: Watch[] = [nodes.see, childWatch()];
  let definition: WorkflowDefinition | undefined;
  let next = 0;
  let ended = false;

  function shape(event: RunEvent): readonly string[] {
    const { type, sequence, runId, causationId = '' } = event;
    const problems: string[] = [];
    if (sequence !== next) problems.push(`event ${next} has the sequence ${sequence}`);
    if ((type === 'run.started') !== (next === 0)) problems.push(`event ${next} is ${type}`);
    if (ended) problems.push(`has the event ${type} after its end`);
    const [cause, at] = causationId.split(':');
    if (cause === runId && Number(at) >= sequence) problems.push(`event ${next} is caused by ${causationId}`);
    return problems;
  }

  function begin(event: RunEvent): readonly string[] {
    if (event.type !== 'run.started') return [];
    definition = definitions.get(event.payload.definition);
    if (definition === undefined) return [`was started with an unknown definition`];
    watches.push(mergeWatch(definition));
    return [];
  }

  return {
    definition: () => definition,
    isSettled: nodes.isSettled,
    see(event) {
      const problems = [...shape(event), ...begin(event)];
      for (const watch of watches) problems.push(...watch(event));
      next += 1;
      ended ||= isEnd(event);
      return problems;
    },
  };
}
