import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { OpenAiApi, ProviderKind } from '../models-config.ts';

/** Opens a model of a vendor. The packages of the vendors are loaded when they are first needed. */

export type VendorKind = Exclude<ProviderKind, 'scripted'>;

export interface Connection {
  readonly kind: VendorKind;
  readonly baseURL?: string | undefined;
  readonly api?: OpenAiApi | undefined;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly structuredOutputs: boolean;
  readonly fetch: typeof fetch;
}

/** The names under which the packages take options of their vendor, and give data that must come back. */
export const VENDOR_NAMES = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  'openai-compatible': 'compatible',
} as const satisfies Record<VendorKind, string>;

/** Stated always, because the packages would otherwise look for an address in the environment. */
const ADDRESSES = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const;

/**
 * The Responses API keeps the encrypted reasoning of a model. Endpoints that imitate OpenAI mostly have only
 * the Chat Completions API.
 */
export function speaksResponses({
  kind,
  baseURL,
  api,
}: Pick<Connection, 'kind' | 'baseURL' | 'api'>): boolean {
  return kind === 'openai' && (api ?? (baseURL === undefined ? 'responses' : 'chat')) === 'responses';
}

export async function languageModel(connection: Connection, model: string): Promise<LanguageModelV3> {
  const { kind, headers, fetch } = connection;
  // The packages look for a key in the environment when there is none, so an absent key is an empty one.
  const shared = { apiKey: connection.key ?? '', headers: { ...headers }, fetch };
  switch (kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const openai = createOpenAI({ ...shared, baseURL: connection.baseURL ?? ADDRESSES.openai });
      return speaksResponses(connection) ? openai.responses(model) : openai.chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...shared, baseURL: connection.baseURL ?? ADDRESSES.anthropic })(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ ...shared, baseURL: connection.baseURL ?? ADDRESSES.google })(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: VENDOR_NAMES[kind],
        baseURL: connection.baseURL ?? '',
        headers: { ...headers },
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: connection.structuredOutputs,
        ...(connection.key !== undefined && { apiKey: connection.key }),
      })(model);
    }
  }
}
