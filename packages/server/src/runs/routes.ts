import type { Routes } from '../http/context.ts';
import { artifactRoute } from './artifact.ts';
import { attestationsRoute } from './attestations.ts';
import { bulkCancelRoute } from './bulk-cancel.ts';
import { cancelRunRoute, pauseRunRoute, resumeRunRoute } from './control-run.ts';
import { createRunRoute } from './create-run.ts';
import { debugBundleRoute } from './debug-bundle.ts';
import { eraseRunRoute } from './erase-run.ts';
import { importRunRoute } from './import-run.ts';
import { listRunsRoute } from './list-runs.ts';
import { readRunRoute } from './read-run.ts';

export const runRoutes: Routes = (app, host) => {
  createRunRoute(app, host);
  listRunsRoute(app, host);
  readRunRoute(app, host);
  cancelRunRoute(app, host);
  pauseRunRoute(app, host);
  resumeRunRoute(app, host);
  bulkCancelRoute(app, host);
  artifactRoute(app, host);
  attestationsRoute(app, host);
  debugBundleRoute(app, host);
  importRunRoute(app, host);
  eraseRunRoute(app, host);
};
