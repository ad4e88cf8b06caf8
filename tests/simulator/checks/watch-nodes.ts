import type { JsonObject, RunError, RunEvent } from '@baton/protocol';
import type { Watch } from './watch.ts';

/**
 * An attempt of a node ends once. An attempt that performed an effect ends with the outcome of its own effect:
 * outcomes of the simulated outside name the effect that they were made for.
 */
export function nodeWatch(): NodeWatch {
  const attempts = new Map<string, Attempt>();
  const settled = new Set<string>();

  function start({ nodeId, payload }: Extract<RunEvent, { type: 'node.started' }>): readonly string[] {
    const before = attempts.get(nodeId ?? '');
    const execution = before?.phase === 'retrying' ? before.execution : (before?.execution ?? 0) + 1;
    const { attempt, typeId } = payload;
    attempts.set(nodeId ?? '', { execution, attempt, typeId, phase: 'open' });
    return before?.phase === 'open' ? [`node ${nodeId} was started while it was running`] : [];
  }

  function end(nodeId: string, how: string, phase: Attempt['phase'], named: string | undefined) {
    const found = attempts.get(nodeId);
    const problems: string[] = [];
    if (found?.phase !== 'open' && how === 'node.completed')
      problems.push(`node ${nodeId} completed without having started again`);
    if (found !== undefined && found.typeId === PERFORMS && named !== undefined) {
      const own = nameOfAttempt({ nodeId, ...found });
      if (!named.startsWith(`${own}/`)) problems.push(`attempt ${own} ended with the outcome of ${named}`);
    }
    if (found !== undefined) attempts.set(nodeId, { ...found, phase });
    return problems;
  }

  function settle({ payload }: Extract<RunEvent, { type: 'baton.effect.settled' }>): readonly string[] {
    const { nodeId, step, outputs, error } = payload;
    const found = attempts.get(nodeId);
    if (found?.phase !== 'open')
      return [`an effect of node ${nodeId} was settled, and the node was not running`];
    const own = nameOfEffect({ nodeId, step, ...found });
    const named = nameIn(outputs) ?? (error && nameInError(error));
    const problems = settled.has(own) ? [`effect ${own} was settled twice`] : [];
    settled.add(own);
    if (named !== undefined && found.typeId === PERFORMS && named !== own)
      problems.push(`effect ${own} was settled with the outcome of ${named}`);
    return problems;
  }

  const see: Watch = (event) => {
    const { type, nodeId = '' } = event;
    switch (type) {
      case 'node.started':
        return start(event);
      case 'node.completed':
        return end(nodeId, type, 'over', nameIn(event.payload.outputs));
      case 'node.failed':
        return end(nodeId, type, 'over', nameInError(event.payload.error));
      case 'node.retried':
        return end(nodeId, type, 'retrying', nameInError(event.payload.lastError));
      case 'node.cancelled':
        return end(nodeId, type, 'over', undefined);
      case 'baton.effect.settled':
        return settle(event);
      default:
        return [];
    }
  };
  return { see, isSettled: (effect) => settled.has(nameOfEffect(effect)) };
}

interface NodeWatch {
  readonly see: Watch;
  /** Whether the log has the outcome of this effect. */
  isSettled(effect: EffectName): boolean;
}

export interface EffectName extends AttemptName {
  readonly step: number;
}

interface Attempt {
  readonly execution: number;
  readonly attempt: number;
  readonly typeId: string;
  readonly phase: 'open' | 'retrying' | 'over';
}

const PERFORMS = 'core.conformance.side-effect';

function nameOfAttempt({ nodeId, execution, attempt }: AttemptName): string {
  return `${nodeId}/${execution}/${attempt}`;
}

/** Outcomes carry this name: in an output, or at the end of the message of an error. */
export function nameOfEffect({ step, ...attempt }: EffectName): string {
  return `${nameOfAttempt(attempt)}/${step}`;
}

interface AttemptName {
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
}

export const OUTSIDE_BROKE = 'outside_broke';

function nameIn(outputs: JsonObject | undefined): string | undefined {
  // A sealed value is no string.
  return typeof outputs?.madeFor === 'string' ? outputs.madeFor : undefined;
}

function nameInError({ code, message }: RunError): string | undefined {
  return code === OUTSIDE_BROKE ? message.slice(message.lastIndexOf(' ') + 1) : undefined;
}
