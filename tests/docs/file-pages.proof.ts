import { readModels } from '@baton/agents/models-file';
import { readTools } from '@baton/agents/tools-file';
import { expect } from 'vitest';
import { everySnippetOf } from './every-snippet.ts';

/** The files that pages show, read as a host reads them at its start. */

everySnippetOf('docs/how-to/models.md', (take) => {
  const file = { name: 'models.json', text: take('json') };
  const reading = readModels({ file, variable: () => undefined });
  expect(reading).toMatchObject({ config: { classes: { general: { provider: 'local' } } } });
});

everySnippetOf('docs/how-to/tools.md', (take) => {
  const reading = readTools({ name: 'tools.json', text: take('json') }, { WEB_TOKEN: 'a-token' });
  expect(reading).toHaveProperty('config');
});
