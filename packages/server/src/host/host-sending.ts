import type { HostContext } from '../http/context.ts';
import { hostPushes } from './host-pushes.ts';
import { hostWebhooks } from './host-webhooks.ts';

type Parts = Parameters<typeof hostWebhooks>[0] & Parameters<typeof hostPushes>[0];

interface HostSending extends Pick<HostContext, 'webhooks' | 'pushes'> {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What the host sends by itself: events to webhooks, and states of A2A tasks to their callers. */
export function hostSending(parts: Parts): HostSending {
  const webhooks = hostWebhooks(parts);
  const pushes = hostPushes(parts);
  return {
    webhooks: webhooks.registered,
    pushes: pushes.registered,
    async start() {
      await webhooks.start();
      await pushes.start();
    },
    async stop() {
      await webhooks.stop();
      await pushes.stop();
    },
  };
}
