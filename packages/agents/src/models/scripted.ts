import type { ModelAnswer, ModelCall, ModelProvider, SaidPart, TokenUsage } from '@baton/engine/ports';
import { canonicalJson, type Json, type ModelMessage, type ModelRequest } from '@baton/protocol';
import { codeOfStatus, type Fault, fault } from './faults.ts';
import { minimalInstance } from './minimal-instance.ts';
import { readScript, type ScriptEntry } from './script.ts';
import type { Later } from './timers.ts';

/**
 * The built-in provider that needs no key. It gives the answers of the script in the request, so the same
 * request has the same answer. Without a script it gives the smallest answer that fits.
 */
export function scriptedProvider(later: Later): ModelProvider {
  const failures = new Map<string, number>();

  return {
    reexecutable: true,
    async ask(call) {
      const read = readScript(call.request.providerOptions);
      if ('wrong' in read) return fault('input_invalid', call.request, { message: read.wrong });
      const entry = entryFor(call.request, read.script ?? []) ?? { text: fitting(call.request) };
      if (entry.delayMs) await waited(entry.delayMs, call.signal, later);
      if (call.signal.aborted) return fault('provider_interrupted', call.request);
      return faultOf(entry, call, failures) ?? answered(entry, call);
    },
  };
}

/** Entry k of those for this conversation answers call k. The last entry is repeated. */
function entryFor({ messages }: ModelRequest, script: readonly ScriptEntry[]): ScriptEntry | undefined {
  const answered = messages.filter(({ role }) => role === 'assistant').length;
  const given = messages.filter(({ role }) => role === 'user' || role === 'tool').map(textIn);
  const meant = script.filter(({ when }) => when === undefined || given.some((text) => text.includes(when)));
  return meant[Math.min(answered, meant.length - 1)];
}

function textIn({ content }: ModelMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Old counts are removed first. */
const MAX_COUNTED = 1000;

function faultOf(
  { error, times }: ScriptEntry,
  { key, request }: ModelCall,
  failures: Map<string, number>,
): Fault | undefined {
  if (error === undefined) return undefined;
  const made = fault(codeOfStatus(error.status), request, error);
  if (times === undefined) return made;
  const failed = failures.get(key) ?? 0;
  if (failed >= times) return undefined;
  failures.delete(key);
  failures.set(key, failed + 1);
  const [oldest] = failures.keys();
  if (failures.size > MAX_COUNTED && oldest !== undefined) failures.delete(oldest);
  return made;
}

const CHUNKS = 4;

function answered(entry: ScriptEntry, call: ModelCall): ModelAnswer {
  const { refusal, reasoning, calls = [], cut, truncated } = entry;
  const text = textOf(entry);
  const usage = usageOf(call.request, [reasoning, refusal ?? text, ...calls.map(({ input }) => input)]);
  for (const chunk of chunksOf(reasoning ?? '')) call.reasoned(chunk);
  const chunks = chunksOf(refusal ?? text);
  for (const chunk of cut ? chunks.slice(0, CHUNKS / 2) : chunks) call.progress(chunk);
  if (cut) return fault('provider_interrupted', call.request);
  if (refusal !== undefined) return { kind: 'refusal', text: refusal, usage };
  const parts: SaidPart[] = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning, opaque: OPAQUE }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ tool, input }, at) => ({
      type: 'tool-call' as const,
      id: callId(call.request, at),
      name: tool,
      ...(input !== undefined && { input }),
    })),
  ];
  return {
    kind: 'text',
    text,
    stopReason: truncated ? 'max_tokens' : 'end',
    usage,
    ...(parts.some(({ type }) => type !== 'text') && { parts }),
  };
}

/** Stands for the signature with which vendors bind reasoning to themselves. */
const OPAQUE = { provider: 'scripted', data: {} } as const;

/** Unique within a conversation, and the same whenever the request is the same. */
function callId({ messages }: ModelRequest, at: number): string {
  return `call_${messages.length}_${at + 1}`;
}

function textOf({ text, json, truncated }: ScriptEntry): string {
  if (text !== undefined) return text;
  if (json === undefined) return '';
  const whole = canonicalJson(json);
  return truncated ? whole.slice(0, Math.ceil(whole.length / 2)) : whole;
}

function fitting({ responseFormat }: ModelRequest): string {
  if (responseFormat?.type !== 'json') return 'The scripted provider has no script for this call.';
  return canonicalJson(minimalInstance((responseFormat.schema ?? {}) as Json));
}

function chunksOf(text: string): string[] {
  const characters = [...text];
  const size = Math.ceil(characters.length / CHUNKS);
  return Array.from({ length: CHUNKS }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  ).filter((chunk) => chunk !== '');
}

/** About as many tokens as a model would count, and always the same number for the same texts. */
function usageOf({ messages }: ModelRequest, said: readonly (Json | undefined)[]): TokenUsage {
  const asked = JSON.stringify(messages.map(({ content }) => content));
  const answered = said.map((part) => (part === undefined ? '' : JSON.stringify(part))).join('');
  return { inputTokens: Math.ceil(asked.length / 4), outputTokens: Math.ceil(answered.length / 4) };
}

function waited(ms: number, signal: AbortSignal, later: Later): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => {
    const over = () => {
      cancel();
      signal.removeEventListener('abort', over);
      done();
    };
    const cancel = later(ms, over);
    signal.addEventListener('abort', over, { once: true });
  });
}
