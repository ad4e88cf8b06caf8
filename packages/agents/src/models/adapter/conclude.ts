import type { LanguageModelV3Usage, SharedV3Warning } from '@ai-sdk/provider';
import type { ModelAnswer, TokenUsage } from '@baton/engine/ports';
import type { Truncation } from '@baton/protocol';
import { type Asked, type Fault, fault } from '../faults.ts';
import type { Heard } from './listen.ts';
import { frameFault } from './vendor-faults.ts';

/**
 * The rule for a stream that has ended without an exception. A stream counts as an answer only if the provider
 * said that it is complete: most of them just end when a connection is lost.
 */
export function conclude(heard: Heard, asked: Asked, now: () => number): ModelAnswer {
  const { finish, errorFrame, parts } = heard;
  const usage = finish && toUsage(finish.usage);
  if (parts.isTooLarge()) {
    return withUsage(
      fault('provider_rejected', asked, { message: 'The answer of the model is too large.' }),
      usage,
    );
  }
  // Some packages report the end of the stream as regular even after an error frame.
  if (errorFrame !== undefined) return withUsage(frameFault(errorFrame.error, asked, now), usage);
  const { unified, raw } = finish?.finishReason ?? {};
  const unfinished =
    finish === undefined || unified === 'error' || (unified === 'other' && raw === undefined);
  // `pause_turn` is reported as a regular end, but the provider wants to be asked again for the rest.
  if (unfinished || raw === 'pause_turn') return withUsage(fault('provider_interrupted', asked), usage);
  const said = parts.parts();
  const text = said.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (unified === 'content-filter' || heard.rawRefusal !== '') {
    const refusal = heard.rawRefusal || text;
    return {
      kind: 'refusal',
      ...(refusal !== '' && { text: refusal }),
      // OpenAI names the regular end as the reason.
      ...(raw !== undefined && raw !== 'stop' && isWord(raw) && { category: raw }),
      ...(usage && { usage }),
    };
  }
  const notes = notesOf(heard.warnings);
  if (unified === 'other' && raw !== undefined) {
    notes.push(isWord(raw) ? `The provider ended the answer with the reason ${raw}.` : UNKNOWN_END);
  }
  const { model } = heard;
  return {
    kind: 'text',
    text,
    stopReason: unified === 'length' ? truncation(raw) : 'end',
    ...(usage && { usage }),
    ...(said.some((part) => part.type !== 'text' || part.opaque !== undefined) && { parts: said }),
    ...(model !== undefined && model !== asked.model && { model }),
    ...(notes.length > 0 && { notes }),
  };
}

const UNKNOWN_END = 'The provider ended the answer with a reason of its own.';

function withUsage(made: Fault, usage: TokenUsage | undefined): Fault {
  return usage === undefined ? made : { ...made, usage };
}

/** The reason for the end of an answer is repeated only if it is one word. */
function isWord(raw: string): boolean {
  return /^[A-Za-z][\w.-]{0,63}$/.test(raw);
}

function truncation(raw: string | undefined): Truncation {
  return /^max(_output)?_tokens$/i.test(raw ?? '') ? 'max_tokens' : 'length';
}

const MAX_NOTES = 20;
const MAX_CHARACTERS = 200;

/**
 * What a provider package did differently from the request. Only the first sentence is taken: some packages
 * append parts of the request to their words.
 */
function notesOf(warnings: readonly SharedV3Warning[]): string[] {
  return [...new Set(warnings.map(noteOf))].slice(0, MAX_NOTES);
}

function noteOf(warning: SharedV3Warning): string {
  if (warning.type === 'other') return firstSentence(warning.message);
  const difference = warning.type === 'unsupported' ? 'is not supported' : 'is used in a compatibility mode';
  const details = warning.details === undefined ? '' : ` ${firstSentence(warning.details)}`;
  return `${warning.feature.slice(0, 64)} ${difference}.${details}`;
}

function firstSentence(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.)\s|[:\n]/, 1);
  return sentence.slice(0, MAX_CHARACTERS);
}

/** The tokens as the provider counts them. `undefined` when it does not. */
function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): TokenUsage | undefined {
  const input = count(inputTokens.total);
  const output = count(outputTokens.total);
  if (input === undefined && output === undefined) return undefined;
  const cacheReadTokens = count(inputTokens.cacheRead);
  const cacheWriteTokens = count(inputTokens.cacheWrite);
  const reasoningTokens = count(outputTokens.reasoning);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cacheReadTokens && { cacheReadTokens }),
    ...(cacheWriteTokens && { cacheWriteTokens }),
    ...(reasoningTokens && { reasoningTokens }),
  };
}

function count(tokens: number | undefined): number | undefined {
  return Number.isSafeInteger(tokens) && tokens !== undefined && tokens >= 0 ? tokens : undefined;
}
