import { BatonError, CONTRACTS, DEFAULT_OVERLAP_SECONDS } from '@baton/protocol';
import { callerOf, identityOf, requireScope } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

const PAGE = 50;

export const webhookRoutes: Routes = (app, { webhooks: { registered: webhooks } }) => {
  bind(app, CONTRACTS.createWebhook, async (request, reply) => {
    // A webhook is sent what a reader of the tenant may read.
    requireScope(identityOf(request), 'runs:read');
    requireTenant(callerOf(request).tenant, request.body.tenantId);
    return reply.code(201).send(await webhooks.create(callerOf(request), request.body));
  });

  bind(app, CONTRACTS.listWebhooks, async (request) => ({
    webhooks: await webhooks.list(identityOf(request).tenant),
  }));

  bind(app, CONTRACTS.readWebhook, (request) =>
    webhooks.read(identityOf(request).tenant, request.params.webhookId),
  );

  bind(app, CONTRACTS.deleteWebhook, async (request, reply) => {
    const { tenant } = identityOf(request);
    requireTenant(tenant, request.query.tenantId);
    await webhooks.delete(tenant, request.params.webhookId);
    return reply.code(204).send();
  });

  bind(app, CONTRACTS.pauseWebhook, (request) =>
    webhooks.pause(identityOf(request).tenant, request.params.webhookId),
  );

  bind(app, CONTRACTS.resumeWebhook, (request) =>
    webhooks.resume(identityOf(request), request.params.webhookId),
  );

  bind(app, CONTRACTS.rotateWebhook, (request) => {
    const { overlapSeconds = DEFAULT_OVERLAP_SECONDS } = request.body;
    return webhooks.rotate(identityOf(request).tenant, request.params.webhookId, overlapSeconds * 1000);
  });

  bind(app, CONTRACTS.pingWebhook, (request) =>
    webhooks.ping(identityOf(request).tenant, request.params.webhookId),
  );

  bind(app, CONTRACTS.listDeliveries, async (request) => {
    const { limit = PAGE, cursor } = request.query;
    const { tenant } = identityOf(request);
    const page = await webhooks.waiting(tenant, request.params.webhookId, limit, cursor);
    return { deliveries: page.items, nextCursor: page.next };
  });

  bind(app, CONTRACTS.listDeadLetters, async (request) => {
    const { limit = PAGE, cursor } = request.query;
    const { tenant } = identityOf(request);
    const page = await webhooks.deadLetters(tenant, request.params.webhookId, limit, cursor);
    return { deadLetters: page.items, nextCursor: page.next };
  });

  bind(app, CONTRACTS.redeliver, async (request) => {
    const { tenant } = identityOf(request);
    const { deliveryIds } = request.body;
    return { redelivered: await webhooks.redeliver(tenant, request.params.webhookId, deliveryIds) };
  });
};

function requireTenant(own: string, named: string | undefined): void {
  if (named === undefined || named === own) return;
  throw new BatonError('forbidden', 'This key cannot manage webhooks of that tenant.', { field: 'tenantId' });
}
