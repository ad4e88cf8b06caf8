import Type from 'typebox';
import { closed } from '../schemas/parts.ts';
import { DateTime, json, type RouteContract } from './contract.ts';

/** Models: which of them serve agents, and whether their providers work. */

const Target = { provider: Type.String(), model: Type.String() };
const Count = Type.Integer({ minimum: 0 });

const ModelClassEntry = Type.Object(
  {
    modelClass: Type.String(),
    ...Target,
    fallbacks: Type.Array(Type.Object(Target, closed), {
      description: 'Models that may answer in place of this one, in this order',
    }),
  },
  closed,
);

const ProviderEntry = Type.Object(
  {
    provider: Type.String(),
    kind: Type.String(),
    state: Type.Unsafe<string>({
      enum: ['working', 'failing', 'unavailable'],
      description:
        '`failing`: the last call failed. `unavailable`: several calls in a row failed, and the provider is not ' +
        'asked for a while.',
    }),
    faultsInARow: Count,
    activeCalls: Count,
    waitingCalls: Count,
    lastFault: Type.Optional(Type.Object({ code: Type.String(), at: DateTime }, closed)),
  },
  closed,
);

const listModels = {
  method: 'GET',
  path: '/v1/models',
  access: 'manifest:read',
  idempotent: 'always',
  tag: 'agents',
  summary: 'The classes of models, their providers, and whether these work',
  description: 'Shows no key, header or address of a provider.',
  responses: {
    200: json(
      Type.Object({ classes: Type.Array(ModelClassEntry), providers: Type.Array(ProviderEntry) }, closed),
    ),
  },
  refusals: [],
} as const satisfies RouteContract;

export const MODEL_CONTRACTS = { listModels } as const;
