import { type HostExtension, OPERATOR_TENANT } from '@baton/server/extension';
import { withCanary } from './seams/canary.ts';
import { withConformanceTools } from './seams/conformance-tools.ts';
import { createMockModel } from './seams/mock-model.ts';
import { seamRoutes } from './seams/routes.ts';
import { SEAM_PERFORMERS } from './seams/side-effect.ts';
import { createOverlay } from './seams/state.ts';

/** What conformance suites need of a host. Each host has what suites have set up there for itself. */
export function openSeams(): HostExtension {
  const overlay = createOverlay();
  const mock = createMockModel();
  return {
    performers: SEAM_PERFORMERS,
    routes: seamRoutes({ overlay, mock }),
    isOn: (capability) => overlay.value(capability) ?? true,
    revision: overlay.revision,
    async described(document, reads) {
      const ids = (await reads.workflows(OPERATOR_TENANT)).map(({ id }) => id);
      const fixtures = [...new Set(ids.filter((id) => id.startsWith('conformance-')))].sort();
      const conformance = { mockAgent: true };
      return {
        ...document,
        fixtures,
        conformance,
        capabilities: { ...document.capabilities, conformance },
      };
    },
    withSecrets: withCanary,
    withTools: withConformanceTools,
    // No agent uses this provider by itself.
    withModels: (models) => ({
      ...models,
      provider: (id) => (id === 'mock' ? mock : models.provider(id)),
    }),
  };
}
