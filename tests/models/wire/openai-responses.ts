import { type ErrorFrame, type Frames, frame, pieces, type Scenario, USAGE } from './scenario.ts';

/** The frames of the Responses API. */
export const responsesFrames: Frames = (scenario, model) => {
  const { reasoning, signature, text = '', calls = [], refusal = '', usage = USAGE } = scenario;
  const send = (type: string, more: object) => frame({ type, ...more }, type);
  const item = (at: 'added' | 'done', output_index: number, value: object) =>
    send(`response.output_item.${at}`, { output_index, item: value });
  const encrypted = { encrypted_content: signature ?? null };
  const message = { type: 'message', id: 'msg_1' };
  return [
    send('response.created', {
      response: { id: 'resp_1', created_at: 1, model: scenario.model ?? model, service_tier: null },
    }),
    ...(reasoning === undefined
      ? []
      : [
          item('added', 0, { type: 'reasoning', id: 'rs_1', ...encrypted }),
          send('response.reasoning_summary_part.added', { item_id: 'rs_1', summary_index: 0 }),
          ...pieces(reasoning).map((delta) =>
            send('response.reasoning_summary_text.delta', { item_id: 'rs_1', summary_index: 0, delta }),
          ),
          send('response.reasoning_summary_part.done', { item_id: 'rs_1', summary_index: 0 }),
          item('done', 0, { type: 'reasoning', id: 'rs_1', summary: [], ...encrypted }),
        ]),
    ...(text === '' && refusal === ''
      ? []
      : [
          item('added', 1, message),
          ...pieces(text).map((delta) => send('response.output_text.delta', { item_id: 'msg_1', delta })),
          ...pieces(refusal).map((delta) => send('response.refusal.delta', { item_id: 'msg_1', delta })),
          item('done', 1, message),
        ]),
    ...calls.flatMap(({ id = 'call_1', name, input }, at) => {
      const call = { type: 'function_call', id: `fc_${at}`, call_id: id, name };
      return [
        item('added', 2 + at, { ...call, arguments: '' }),
        ...pieces(input).map((delta) =>
          send('response.function_call_arguments.delta', { item_id: call.id, output_index: 2 + at, delta }),
        ),
        item('done', 2 + at, { ...call, arguments: input, status: 'completed' }),
      ];
    }),
    endFrame(scenario, send, usage),
  ];
};

function endFrame(
  { stop }: Scenario,
  send: (type: string, more: object) => string,
  usage: NonNullable<Scenario['usage']>,
): string {
  const counted = usage !== false && {
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    },
  };
  return stop === 'length'
    ? send('response.incomplete', {
        response: { incomplete_details: { reason: 'max_output_tokens' }, ...counted },
      })
    : send('response.completed', { response: { incomplete_details: null, ...counted } });
}

export const responsesError: ErrorFrame = (type, key) =>
  frame(
    {
      type: 'error',
      sequence_number: 1,
      error: { type, code: type, message: `Bad key ${key}`, param: null },
    },
    'error',
  );
