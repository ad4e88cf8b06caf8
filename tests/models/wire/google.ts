import { type ErrorFrame, type Frames, frame, pieces, type Scenario, USAGE } from './scenario.ts';

/** The frames of `streamGenerateContent`. */
export const googleFrames: Frames = (scenario, model) => {
  const { reasoning, signature, text = '', calls = [], refusal, usage = USAGE } = scenario;
  const counted = usage !== false && {
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
      thoughtsTokenCount: usage.reasoning ?? 0,
      cachedContentTokenCount: usage.cacheRead ?? 0,
      totalTokenCount: usage.input + usage.output,
    },
  };
  const send = (parts: readonly object[], more: object = {}) =>
    frame({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
      modelVersion: scenario.model ?? model,
      ...counted,
    });
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  return [
    ...(reasoning === undefined ? [] : pieces(reasoning)).map((piece) =>
      send([{ text: piece, thought: true }]),
    ),
    ...pieces(text).map((piece) => send([{ text: piece }])),
    ...calls.map(({ name, input }) => send([{ functionCall: { name, args: JSON.parse(input) }, ...signed }])),
    send([], { finishReason: refusal === undefined ? stopOf(scenario) : 'SAFETY' }),
  ];
};

function stopOf({ stop }: Scenario): string {
  return stop === 'length' ? 'MAX_TOKENS' : 'STOP';
}

export const googleError: ErrorFrame = (type, key) =>
  frame({
    error: { code: type.includes('overloaded') ? 503 : 500, message: `Bad key ${key}`, status: type },
  });
