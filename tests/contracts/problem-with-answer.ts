import {
  ERRORS,
  type ErrorCode,
  ErrorEnvelope,
  problemWith,
  type RouteContract,
  refusalsOf,
  STREAM_FRAMES,
} from '@baton/protocol';
import { framesOf } from './frames.ts';

/** An answer as it left the host. */
export interface SentAnswer {
  readonly status: number;
  /** Without parameters such as the character set. */
  readonly mediaType: string;
  readonly text: string;
  /** The host remembered the answer from an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
  /** False when the reader left before the end. */
  readonly whole: boolean;
}

/** How an answer departs from the contract of its route, or nothing. */
export function problemWithAnswer(contract: RouteContract, answer: SentAnswer): string | undefined {
  const { status, mediaType, text, replayed, whole } = answer;
  if (replayed && contract.idempotent !== 'with-key') return 'it is replayed, and the contract knows no key';
  const declared = contract.responses[status];
  if (declared === undefined) return problemWithRefusal(contract, answer);
  if (Object.keys(declared.content).length === 0) return text === '' ? undefined : 'it has a body';
  if (mediaType === 'text/event-stream' && mediaType in declared.content) {
    return problemInStream(text, contract.frames);
  }
  if (!whole) return undefined;
  const schema = declared.content[mediaType as keyof typeof declared.content];
  if (schema === undefined) return `the media type ${mediaType} is not declared`;
  const problem = problemWith(schema, mediaType === 'application/json' ? JSON.parse(text) : text);
  if (problem === undefined) return undefined;
  const isRefusal = status >= 400 && problemWithRefusal(contract, answer) === undefined;
  return isRefusal ? undefined : `the body does not fit its schema: ${problem.field} ${problem.problem}`;
}

function problemWithRefusal(
  contract: RouteContract,
  { status, mediaType, text }: SentAnswer,
): string | undefined {
  if (status < 400) return 'the status is not declared';
  if (mediaType !== 'application/json') return `the refusal is ${mediaType}`;
  const body: unknown = JSON.parse(text);
  const problem = problemWith(ErrorEnvelope, body);
  if (problem) return `the refusal is no error envelope: ${problem.field} ${problem.problem}`;
  const { error } = body as { readonly error: ErrorCode };
  if (!refusalsOf(contract).includes(error)) return `the error ${error} is not declared`;
  return ERRORS[error][0] === status ? undefined : `the error ${error} came with another status than its own`;
}

function problemInStream(text: string, frames: RouteContract['frames']): string | undefined {
  for (const { name, data } of framesOf(text)) {
    const known = Object.hasOwn(STREAM_FRAMES, name)
      ? STREAM_FRAMES[name as keyof typeof STREAM_FRAMES]
      : STREAM_FRAMES.event;
    const problem = problemWith(frames ?? known, data);
    if (problem) return `a frame "${name}" does not fit its schema: ${problem.field} ${problem.problem}`;
  }
  return undefined;
}
