import { BatonError, CONTRACTS, isoTime, SCOPES, type SessionView } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import type { Identity } from '../auth/identity.ts';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { VERSION } from '../version.ts';
import { noSessionCookie, sessionCookie } from './cookies.ts';
import { refuseOtherSites } from './own-page.ts';
import { signInLink } from './sign-in-codes.ts';

/** Signing in and out, and who is signed in. */
export const sessionRoutes: Routes = (app, host) => {
  const { settings } = host;
  const { sessions, signIns, issueCode } = host.people;

  bind(app, CONTRACTS.createSignInCode, async (request, reply) => {
    const identity = identityOf(request);
    // Otherwise a session could be prolonged for ever, one code after the other.
    if (identity.session !== undefined) {
      throw new BatonError('forbidden', 'A sign-in code is made with an API key, and not by a session.');
    }
    const expiresAt = isoTime(Date.now() + CODE_MS);
    const code = issueCode(sessions.holderOf(identity), CODE_MS);
    return unstored(reply)
      .code(201)
      .send({ code, url: signInLink(host.publicUrl(), code), expiresAt });
  });

  bind(
    app,
    CONTRACTS.signIn,
    async (request, reply) => {
      const { code, key } = request.body;
      if ((code === undefined) === (key === undefined)) {
        throw new BatonError('validation_error', 'Send either a code or a key.', { field: 'code' });
      }
      const session =
        code === undefined
          ? await signIns.byKey(key ?? '', request.ip)
          : await signIns.byCode(code, request.ip);
      return unstored(reply)
        .header('set-cookie', sessionCookie(session, settings))
        .send(viewOf(host, session.identity));
    },
    {
      bodyLimit: MOST_BODY_BYTES,
      onRequest: (request, _reply, done) => {
        refuseOtherSites(request, settings);
        done();
      },
    },
  );

  bind(app, CONTRACTS.readSession, (request, reply) => {
    unstored(reply).send(viewOf(host, identityOf(request)));
  });

  bind(app, CONTRACTS.readSignInWays, async () => ({
    key: true,
    code: true,
    oidc: settings.oidc !== undefined,
    ...(settings.oidc && { oidcName: new URL(settings.oidc.issuer).host }),
  }));

  bind(app, CONTRACTS.signOut, async (request, reply) => {
    await sessions.end(identityOf(request));
    return reply.header('set-cookie', noSessionCookie(settings)).code(204).send();
  });
};

const CODE_MS = 10 * 60 * 1000;
const MOST_BODY_BYTES = 8192;

function unstored(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

function viewOf({ hostId, settings }: HostContext, identity: Identity): SessionView {
  const { tenant, principal, keyId, scopes, session } = identity;
  return {
    tenant,
    principal,
    keyId,
    scopes: SCOPES.filter((scope) => scopes.has(scope)),
    via: session === undefined ? 'key' : 'session',
    ...(session !== undefined && { expiresAt: isoTime(session.expiresAt) }),
    host: { id: hostId, version: VERSION },
    signIn: { oidc: settings.oidc !== undefined },
  };
}
