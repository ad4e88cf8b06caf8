import { type ErrorFrame, type Frames, frame, pieces, type Scenario, USAGE } from './scenario.ts';

/** The frames of the Messages API. */
export const anthropicFrames: Frames = (scenario, model) => {
  const { reasoning, signature, text = '', calls = [], refusal } = scenario;
  const usage = scenario.usage === false ? { input: 0, output: 0 } : (scenario.usage ?? USAGE);
  const { cacheRead = 0, cacheWrite = 0 } = usage;
  const send = (type: string, more: object = {}) => frame({ type, ...more }, type);
  let index = -1;
  const block = (content_block: object, deltas: readonly object[]) => {
    index += 1;
    const at = { index };
    return [
      send('content_block_start', { ...at, content_block }),
      ...deltas.map((delta) => send('content_block_delta', { ...at, delta })),
      send('content_block_stop', at),
    ];
  };
  return [
    send('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: scenario.model ?? model,
        content: [],
        stop_reason: null,
        usage: {
          input_tokens: usage.input - cacheRead - cacheWrite,
          cache_read_input_tokens: cacheRead,
          cache_creation_input_tokens: cacheWrite,
          output_tokens: 1,
        },
      },
    }),
    ...(reasoning === undefined
      ? []
      : block({ type: 'thinking', thinking: '' }, [
          ...pieces(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
          ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
        ])),
    send('ping'),
    ...(text === ''
      ? []
      : block(
          { type: 'text', text: '' },
          pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
        )),
    ...calls.flatMap(({ id = 'toolu_1', name, input }) =>
      block(
        { type: 'tool_use', id, name, input: {} },
        pieces(input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
    send('message_delta', {
      delta: { stop_reason: refusal === undefined ? stopOf(scenario) : 'refusal', stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    send('message_stop'),
  ];
};

function stopOf({ stop, calls = [] }: Scenario): string {
  if (stop === 'length') return 'max_tokens';
  if (stop === 'pause') return 'pause_turn';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

export const anthropicError: ErrorFrame = (type, key) =>
  frame({ type: 'error', error: { type, message: `Bad key ${key}` } }, 'error');
