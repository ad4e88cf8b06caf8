import { type EventOf, type Json, type JsonObject, sizeOfJson } from '@baton/protocol';
import type { EffectStep, NodeState, Run, RunSize } from '../run.ts';
import { reduceChannel, trimChannel } from './channels.ts';

/** The part of the fold for variables, channels, outputs of nodes, and their size. */

/**
 * Containers that were created while folding one batch of events, and that no other code refers to yet. They
 * are changed in place, because a copy of all variables for every change would be too slow.
 */
export interface Owned {
  variables?: Record<string, Json>;
  channels?: Record<string, Json>;
}

export function sizeAtStart(variables: JsonObject): RunSize {
  return { characters: sizeOfJson(variables), variables: Object.keys(variables).length };
}

export function setVariable(run: Run, change: EventOf<'variable.changed'>['payload'], own: Owned): Run {
  const { name, next } = change;
  const variables = ownVariables(run, own);
  const size = resized(run.size, name, variables[name], next);
  if (next === undefined) delete variables[name];
  else variables[name] = next;
  return { ...run, variables, size };
}

/** A channel can be read like a variable, so it is stored as both, and counted once. */
export function writeChannel(
  run: Run,
  payload: EventOf<'channel.written'>['payload'],
  at: number,
  own: Owned,
): Run {
  const { channel, value, reducer } = payload;
  const before = run.channels[channel];
  const after = reduceChannel(reducer, before, value, at);
  const appended = Array.isArray(after) && Array.isArray(before) && after.length === before.length + 1;
  const grown = appended ? sizeOfJson(after[after.length - 1]) : sizeOfJson(after) - sizeOfJson(before);
  return withChannel(run, channel, after, grown, own);
}

export function cutChannel(
  run: Run,
  { channel, keep }: EventOf<'baton.channel.trimmed'>['payload'],
  own: Owned,
): Run {
  const before = run.channels[channel];
  const dropped = Array.isArray(before) ? before.slice(0, Math.max(0, before.length - keep)) : [];
  return withChannel(run, channel, trimChannel(before, keep), -sizeOfJson(dropped), own);
}

function withChannel(run: Run, channel: string, value: Json, grown: number, own: Owned): Run {
  const variables = ownVariables(run, own);
  const channels = own.channels === run.channels ? own.channels : { ...run.channels };
  own.channels = channels;
  const isNew = Object.hasOwn(variables, channel) ? 0 : 1;
  channels[channel] = value;
  variables[channel] = value;
  const { size } = run;
  return {
    ...run,
    channels,
    variables,
    size: { characters: size.characters + grown, variables: size.variables + isNew },
  };
}

/** The size after a node with outputs has started again, or a node has completed with outputs. */
export function sizeWithNode(run: Run, before: NodeState | undefined, after: NodeState): RunSize {
  const grown = sizeOfNode(after) - sizeOfNode(before);
  return grown === 0 ? run.size : { ...run.size, characters: run.size.characters + grown };
}

/** The variables of the source, with those that the caller of the branch gave. */
export function overlaid(run: Run, over: JsonObject): Pick<Run, 'variables' | 'size'> {
  let { size } = run;
  for (const [name, next] of Object.entries(over)) size = resized(size, name, run.variables[name], next);
  return { variables: { ...run.variables, ...over }, size };
}

function ownVariables(run: Run, own: Owned): Record<string, Json> {
  const variables = own.variables === run.variables ? own.variables : { ...run.variables };
  own.variables = variables;
  return variables;
}

function resized(size: RunSize, name: string, before: Json | undefined, after: Json | undefined): RunSize {
  const named = (value: Json | undefined) => (value === undefined ? 0 : name.length + sizeOfJson(value));
  const count = (value: Json | undefined) => (value === undefined ? 0 : 1);
  return {
    characters: size.characters + named(after) - named(before),
    variables: size.variables + count(after) - count(before),
  };
}

function sizeOfNode(state: NodeState | undefined): number {
  if (state?.status === 'completed') return sizeOfJson(state.outputs);
  if (state?.status !== 'running') return 0;
  const { wait } = state;
  const steps = wait.for === 'effects' || wait.for === 'answer' ? (wait.steps ?? []) : [];
  let size = 0;
  for (const step of steps) size += sizeOfStep(step);
  return size;
}

/** The request and the outputs of an effect. A request in `node.started` has never been counted. */
export function sizeOfStep({ step, effect, outputs }: EffectStep): number {
  return step === 0 ? 0 : sizeOfJson(effect.request) + (outputs === undefined ? 0 : sizeOfJson(outputs));
}
