import {
  brokenSchema,
  type Json,
  type JsonObject,
  ModelMessages,
  ModelRequest,
  problemWith,
  runError,
} from '@baton/protocol';
import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';
import { startByAsking, takeModelAnswer, tellSpent } from './model-answer.ts';

/** The number of attempts to get a valid answer. `retryOnInvalidJson` adds further attempts. */
export const USUAL_ATTEMPTS = 3;
/** The highest number of attempts that the protocol can represent. */
const MOST_ATTEMPTS = 16;

const Bag = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });
const Asked = ModelRequest.properties;

const Config = Type.Object(
  {
    provider: Asked.provider,
    model: Asked.model,
    /** The JSON Schema of the answer. */
    outputSchema: Bag,
    maxTokens: Asked.maxOutputTokens,
    temperature: Asked.temperature,
    topP: Asked.topP,
    topK: Asked.topK,
    seed: Asked.seed,
    stop: Asked.stop,
    safetySettings: Asked.safetySettings,
    providerOptions: Asked.providerOptions,
    /** The number of attempts after `USUAL_ATTEMPTS`. */
    retryOnInvalidJson: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_ATTEMPTS - USUAL_ATTEMPTS })),
  },
  { additionalProperties: false },
);
type StructuredOutputConfig = Type.Static<typeof Config>;

/** Asks a model for data that fits a schema. The data is the output `data`. */
export const structuredOutput: NodeType = {
  typeId: 'core.ai.structuredOutput',
  config: Config,
  check: (node) => {
    const broken = brokenSchema((node.config as unknown as StructuredOutputConfig).outputSchema);
    return broken === undefined ? [] : [`config.outputSchema: ${broken}`];
  },
  start: ({ node, config, inputs, run }) => {
    const problem = problemWith(ModelMessages, inputs.messages);
    if (problem) {
      const field = problem.field === '' ? 'messages' : `messages.${problem.field}`;
      const message = `input "${field}" of node "${node.id}" ${problem.problem}`;
      return { do: 'fail', error: runError('input_invalid', message), retryable: false };
    }
    const settings = config as unknown as StructuredOutputConfig;
    const messages = inputs.messages as unknown as ModelRequest['messages'];
    // The options of a run do not change, so every call of the run uses the same model.
    const chosen = run.configurable.model;
    const model = typeof chosen === 'string' ? chosen : settings.model;
    return startByAsking(requestOf(settings, model, messages));
  },
  spent: tellSpent,
  outcome: (settled) => ({
    do: 'act',
    act: (working, nodeId) => takeModelAnswer(working, nodeId, settled, attemptsOf(settled.config)),
  }),
};

function attemptsOf(config: JsonObject): number {
  return USUAL_ATTEMPTS + ((config as unknown as StructuredOutputConfig).retryOnInvalidJson ?? 0);
}

function requestOf(
  config: StructuredOutputConfig,
  model: string,
  messages: ModelRequest['messages'],
): ModelRequest {
  const {
    provider,
    outputSchema,
    maxTokens,
    model: _usual,
    retryOnInvalidJson: _often,
    ...sampling
  } = config;
  return {
    provider,
    model,
    messages,
    ...sampling,
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    responseFormat: { type: 'json', schema: outputSchema },
  };
}
