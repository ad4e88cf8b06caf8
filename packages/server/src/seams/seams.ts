import { withCanary } from './canary.ts';
import { withConformanceTools } from './conformance-tools.ts';
import { seamRoutes } from './routes.ts';
import { SEAM_PERFORMERS } from './side-effect.ts';

/** Everything in the server that only conformance suites use. The product does not load it. */
export const SEAMS = {
  routes: seamRoutes,
  performers: SEAM_PERFORMERS,
  withCanary,
  withTools: withConformanceTools,
} as const;
