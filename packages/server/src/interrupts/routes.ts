import type { Routes } from '../http/context.ts';
import { answerByNodeRoute, legacyApprovalRoute } from './by-node.ts';
import { answerByTokenRoute, lookByTokenRoute } from './by-token.ts';
import { listInterruptsRoute } from './list.ts';

export const interruptRoutes: Routes = (app, host) => {
  listInterruptsRoute(app, host);
  answerByNodeRoute(app, host);
  legacyApprovalRoute(app, host);
  lookByTokenRoute(app, host);
  answerByTokenRoute(app, host);
};
