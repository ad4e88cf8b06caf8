import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';

/** Switching advertised capabilities off and on again, and forgetting whatever a suite has set up. */

const Toggle = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    value: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    reset: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

type ToggleRequest = FastifyRequest<{ Body: Type.Static<typeof Toggle> }>;

export const toggleSeams: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/test/capability-toggle',
    { schema: { body: Toggle }, config: { access: 'workflows:write' } },
    async (request: ToggleRequest, reply) => {
      const { name, value = null, reset = false } = request.body;
      if (reset) await clearToggles(host, reply);
      if (name !== undefined) await toggle(host, reply, name, value);
      return { overlay: overlayOf(host) };
    },
  );

  app.post(
    '/v1/host/sample/test/reset',
    { config: { access: 'workflows:write' } },
    async (request, reply) => {
      await clearToggles(host, reply);
      host.mock.reset(callerOf(request).tenant);
      return { reset: true };
    },
  );
};

async function toggle(
  { engine, overlay }: HostContext,
  reply: FastifyReply,
  name: string,
  value: boolean | null,
): Promise<void> {
  const changed = await carryOut(engine, reply, { kind: 'toggle-capability', name, value }, 'overlay');
  overlay.replace(changed.overlay);
}

async function clearToggles(host: HostContext, reply: FastifyReply): Promise<void> {
  for (const name of host.overlay.names()) await toggle(host, reply, name, null);
}

function overlayOf({ overlay }: HostContext): Record<string, boolean | undefined> {
  return Object.fromEntries(overlay.names().map((name) => [name, overlay.value(name)]));
}
