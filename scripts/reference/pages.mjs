import { commandPage } from './command-page.mjs';
import { endpointPage } from './endpoint-page.mjs';
import { errorPage } from './error-page.mjs';
import { eventPage } from './event-page.mjs';
import { nodeTypePage } from './node-type-page.mjs';
import { settingPage } from './setting-page.mjs';
import { workflowSchema } from './workflow-schema.mjs';

/** The pages of docs/reference by file name. */
export async function referencePages() {
  return {
    'commands.md': await commandPage(),
    'endpoints.md': await endpointPage(),
    'errors.md': await errorPage(),
    'events.md': await eventPage(),
    'node-types.md': await nodeTypePage(),
    'settings.md': await settingPage(),
    'workflow.schema.json': await workflowSchema(),
  };
}
