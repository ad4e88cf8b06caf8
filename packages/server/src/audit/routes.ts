import Type from 'typebox';
import type { Routes } from '../http/context.ts';
import { verifyRoute } from './verify.ts';

const Key = Type.Object({
  keyId: Type.String(),
  algorithm: Type.Literal('Ed25519'),
  publicKey: Type.String({ description: 'SPKI as PEM' }),
});

export const auditRoutes: Routes = (app, host) => {
  verifyRoute(app, host);
  app.get(
    '/v1/audit/key',
    {
      schema: {
        tags: ['audit'],
        summary: 'The key that proves what this host has signed',
        response: { 200: Key },
      },
      config: { access: 'audit:read' },
    },
    async () => ({ keyId: host.auditKey.keyId, algorithm: 'Ed25519', publicKey: host.auditKey.pem }),
  );
};
