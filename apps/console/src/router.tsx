import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { NotFoundPage, RouteFault } from './layout/faults.tsx';
import { Root } from './layout/root.tsx';
import {
  readAgentSearch,
  readHostSearch,
  readInboxSearch,
  readRunSearch,
  readRunsSearch,
  readWorkflowSearch,
  readWorkflowsSearch,
  strictly,
} from './search.ts';
import { exchangeCode } from './session/fragment-code.ts';

let exchanged: Promise<void> | undefined;
// A link that is opened in the tab of the console does not load the page again.
window.addEventListener('hashchange', () => void exchangeCode());

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: RouteFault,
  // Once, before the first page asks who is signed in.
  beforeLoad: () => (exchanged ??= exchangeCode()),
});

const welcome = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/welcome/welcome-page.tsx'), 'WelcomePage'),
});

const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: strictly(readRunsSearch),
  component: lazyRouteComponent(() => import('./pages/runs/runs-page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  validateSearch: strictly(readRunSearch),
  component: lazyRouteComponent(() => import('./pages/run/run-page.tsx'), 'RunPage'),
});

const compare = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compare/$runId/$otherId',
  component: lazyRouteComponent(() => import('./pages/compare/compare-page.tsx'), 'ComparePage'),
});

const inbox = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: strictly(readInboxSearch),
  component: lazyRouteComponent(() => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'),
});

const workflows = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows',
  validateSearch: strictly(readWorkflowsSearch),
  component: lazyRouteComponent(() => import('./pages/workflows/workflows-page.tsx'), 'WorkflowsPage'),
});

const workflow = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/$workflowId',
  validateSearch: strictly(readWorkflowSearch),
  component: lazyRouteComponent(() => import('./pages/workflows/workflow-page.tsx'), 'WorkflowPage'),
});

const agents = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  component: lazyRouteComponent(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage'),
});

const agent = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$agentId',
  validateSearch: strictly(readAgentSearch),
  component: lazyRouteComponent(() => import('./pages/agents/agent-page.tsx'), 'AgentPage'),
});

const host = createRoute({
  getParentRoute: () => rootRoute,
  path: '/host',
  validateSearch: strictly(readHostSearch),
  component: lazyRouteComponent(() => import('./pages/host/host-page.tsx'), 'HostPage'),
});

/** `/console` is an address that people try. */
const alias = createRoute({
  getParentRoute: () => rootRoute,
  path: '/console',
  beforeLoad: () => {
    throw redirect({ to: '/' });
  },
});

const routeTree = rootRoute.addChildren([
  welcome,
  runs,
  run,
  compare,
  inbox,
  workflows,
  workflow,
  agents,
  agent,
  host,
  alias,
]);

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
