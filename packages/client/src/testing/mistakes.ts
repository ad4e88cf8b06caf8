import { EVENT_TYPES, type JsonObject, toJson } from '@baton/protocol';
import { nearest } from '@baton/protocol/nearest';
import type { SortedParts } from './parts.ts';

/** Mistakes that the compiler finds in TypeScript, and that a test in JavaScript would not notice. */

export function requirePart(part: unknown): void {
  if (typeof part === 'object' && part !== null) return;
  throw new TypeError(`given() takes workflows, agents, tools and settings, and not ${String(part)}.`);
}

export function requireStep(step: unknown): void {
  if (typeof step === 'function') return;
  throw new TypeError(
    `A step of when() is a function such as accept('node'), and not ${JSON.stringify(step)}.`,
  );
}

/** A check that an event is absent would pass for a type that no event has. */
export function requireEventType(type: unknown): void {
  if (EVENT_TYPES.some((known) => known === type)) return;
  throw new TypeError(
    `No event has the type ${JSON.stringify(type)}. ${didYouMean(String(type), EVENT_TYPES)}`,
  );
}

/** A host refuses inputs that its log cannot hold, for example with the key `__proto__`. */
export function requireStorable(inputs: JsonObject): void {
  try {
    toJson(inputs);
  } catch (error) {
    throw new TypeError(`The inputs cannot be stored: ${error instanceof Error ? error.message : error}.`);
  }
}

/** A script for an agent or a node that the test does not have would never be read. */
export function requireKnownScripts({ scripts, agents, workflows }: SortedParts): void {
  const known = [
    ...agents.map(({ manifest }) => manifest.agentId),
    ...workflows.flatMap(({ nodes }) => nodes.map(({ id }) => id)),
  ];
  const unknown = Object.keys(scripts).find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw new TypeError(
    `scripted() names "${unknown}", but the test has no agent and no node of this id. ${didYouMean(unknown, known)}`,
  );
}

function didYouMean(typed: string, known: readonly string[]): string {
  const like = nearest(typed, known);
  return like === undefined ? '' : `Did you mean "${like}"?`;
}
