import { CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { verifyRoute } from './verify.ts';

export const auditRoutes: Routes = (app, host) => {
  verifyRoute(app, host);
  bind(app, CONTRACTS.readAuditKey, async () => ({
    keyId: host.auditKey.keyId,
    algorithm: 'Ed25519',
    publicKey: host.auditKey.pem,
  }));
};
