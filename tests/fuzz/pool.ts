import type { Random } from '../durability/random.ts';
import { type Known, pick } from './values.ts';

/** What requests can name: real ids of a tenant, and now and then another's. Answers add to it. */
export interface Pool {
  readonly known: Known;
  /** Takes in the ids that an answer tells. */
  learn(text: string): void;
}

const KEPT = 60;

export function createPool(random: Random, others: () => Pool | undefined): Pool {
  const ids = new Map<string, string[]>([
    ['workflowId', ['quick', 'gate', 'echo', 'parent', 'question', 'loop', 'doomed', 'strict-gate']],
    ['nodeId', ['gate', 'only', 'ask']],
    ['path', ['notes.md', 'a/b.txt']],
    ['streamMode', ['updates', 'values', 'messages', 'debug', 'values,updates']],
    ['typeId', ['core.noop', 'core.approvalGate', 'core.identity', 'core.subWorkflow', 'vendor.baton.set']],
    ['action', ['accept', 'reject', 'edit-accept', 'refine', 'ask']],
  ]);
  const sameAs = new Map([
    ['against', 'runId'],
    ['runIds', 'runId'],
    ['parentRunId', 'runId'],
    ['artifactId', 'interruptId'],
    ['token', 'interruptToken'],
    ['cursor', 'nextCursor'],
  ]);
  return {
    known(name) {
      const other = random.chance(0.03) ? others() : undefined;
      if (other !== undefined) return other.known(name);
      const found = ids.get(sameAs.get(name) ?? name);
      return found === undefined ? undefined : pick(random, found);
    },
    learn(text) {
      for (const [, name = '', value = ''] of text.matchAll(LEARNT)) {
        const found = ids.get(name) ?? [];
        if (found.includes(value)) continue;
        if (found.length >= KEPT) found[random.below(KEPT)] = value;
        else found.push(value);
        ids.set(name, found);
      }
    },
  };
}

const LEARNT = /"(runId|workflowId|nodeId|interruptId|interruptToken|nextCursor|etag)":"([^"\\]{1,600})"/g;
