import type { Routes } from '../http/context.ts';
import { ancestryRoute } from './ancestry.ts';
import {
  bulkCancelRoute,
  cancelRunRoute,
  eraseRunRoute,
  pauseRunRoute,
  resumeRunRoute,
} from './control-run.ts';
import { createRunRoute } from './create-run.ts';
import { debugBundleRoute } from './debug-bundle.ts';
import { diffRunsRoute } from './diff-runs.ts';
import { forkRunRoute, retryRunRoute } from './fork-run.ts';
import { countRunsRoute, listRunsRoute } from './list-runs.ts';
import { artifactRoute, attestationsRoute, readRunRoute, runStateRoute } from './read-run.ts';
import { watchRunsRoute } from './watching/watch-runs.ts';

export const runRoutes: Routes = (app, host) => {
  createRunRoute(app, host);
  listRunsRoute(app, host);
  watchRunsRoute(app, host);
  countRunsRoute(app, host);
  readRunRoute(app, host);
  cancelRunRoute(app, host);
  pauseRunRoute(app, host);
  resumeRunRoute(app, host);
  bulkCancelRoute(app, host);
  artifactRoute(app, host);
  attestationsRoute(app, host);
  ancestryRoute(app, host);
  forkRunRoute(app, host);
  retryRunRoute(app, host);
  runStateRoute(app, host);
  diffRunsRoute(app, host);
  debugBundleRoute(app, host);
  eraseRunRoute(app, host);
};
