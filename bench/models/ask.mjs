import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { PROVIDER } from './names.mjs';

// The package of the provider is a dependency of the agents package, so it is resolved from there.
const require = createRequire(new URL('../../packages/agents/package.json', import.meta.url));
const { createOpenAICompatible } = await import(pathToFileURL(require.resolve('@ai-sdk/openai-compatible')));

export const SYSTEM = 'You explain the sea to children.';
export const TASK = 'Explain the tides.';

/** Asks a model through the package that the host uses too, and nothing else. Returns the whole text. */
export function asker(port, model) {
  const provider = createOpenAICompatible({
    name: PROVIDER,
    baseURL: `http://127.0.0.1:${port}/v1`,
    includeUsage: true,
  });
  const prompt = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: [{ type: 'text', text: TASK }] },
  ];
  return async (onToken = () => undefined) => {
    const { stream } = await provider(model).doStream({ prompt, maxOutputTokens: 8192 });
    let text = '';
    let finished = false;
    for await (const part of stream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'finish') finished = true;
      if (part.type !== 'text-delta') continue;
      text += part.delta;
      onToken(part.delta);
    }
    if (!finished || text === '') throw new Error(`the model did not answer: ${text}`);
    return text;
  };
}
