import { callerOf, carryOut, type HostContext } from '@baton/server/extension';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { switchCapability } from '../engine.ts';
import type { CapabilityOverlay, SeamRoutes } from './state.ts';

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

export const toggleSeams: SeamRoutes = (app, { engine }, { overlay, mock }) => {
  app.post(
    '/v1/host/sample/test/capability-toggle',
    { schema: { body: Toggle }, config: { access: 'workflows:write' } },
    async (request: ToggleRequest, reply) => {
      const { name, value = null, reset = false } = request.body;
      if (reset) await clearToggles(overlay, engine, reply);
      if (name !== undefined) await toggle(overlay, engine, reply, name, value);
      return { overlay: Object.fromEntries(overlay.names().map((on) => [on, overlay.value(on)])) };
    },
  );

  app.post(
    '/v1/host/sample/test/reset',
    { config: { access: 'workflows:write' } },
    async (request, reply) => {
      await clearToggles(overlay, engine, reply);
      mock.reset(callerOf(request).tenant);
      return { reset: true };
    },
  );
};

/** The engine has the switches too, because it has to behave as if it lacked what is switched off. */
async function toggle(
  overlay: CapabilityOverlay,
  engine: HostContext['engine'],
  reply: FastifyReply,
  name: string,
  value: boolean | null,
): Promise<void> {
  const switched = await carryOut(engine, reply, switchCapability(name, value), 'extension');
  overlay.replace(switched.value as Readonly<Record<string, boolean>>);
}

async function clearToggles(
  overlay: CapabilityOverlay,
  engine: HostContext['engine'],
  reply: FastifyReply,
): Promise<void> {
  for (const name of overlay.names()) await toggle(overlay, engine, reply, name, null);
}
