import { type ErrorFrame, type Frames, frame, pieces, type Scenario, USAGE } from './scenario.ts';

/** The frames of the Chat Completions API. */
export const chatFrames: Frames = (scenario, model) => {
  const { reasoning = '', text = '', calls = [], refusal = '', usage = USAGE } = scenario;
  const chunk = (more: object) =>
    frame({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: scenario.model ?? model,
      ...more,
    });
  const delta = (given: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: given, finish_reason: finish }] });
  return [
    delta({ role: 'assistant', content: '' }),
    ...pieces(reasoning).map((piece) => delta({ reasoning_content: piece })),
    ...pieces(text).map((piece) => delta({ content: piece })),
    ...pieces(refusal).map((piece) => delta({ refusal: piece })),
    ...calls.flatMap(({ id = '', name, input }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(input).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, finishOf(scenario)),
    ...(usage === false
      ? []
      : [
          chunk({
            choices: [],
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
              completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            },
          }),
        ]),
    'data: [DONE]\n\n',
  ];
};

function finishOf({ stop, calls = [] }: Scenario): string {
  if (stop === 'length') return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

export const chatError: ErrorFrame = (type, key) =>
  frame({ error: { message: `Bad key ${key}`, type, code: type, param: null } });
