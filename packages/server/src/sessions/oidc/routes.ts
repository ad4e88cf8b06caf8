import { BatonError, CONTRACTS } from '@baton/protocol';
import { bind } from '../../http/bind.ts';
import type { HostContext, Routes } from '../../http/context.ts';
import { cookieIn, cookieText, isSecure, sessionCookie } from '../cookies.ts';
import { BEGUN_MS } from './oidc-sign-ins.ts';

/** Signing in with an OpenID provider: to the provider, and back. Nothing in a request says where to go next. */
export const oidcRoutes: Routes = (app, host) => {
  const { oidc, signIns } = host.people;

  bind(app, CONTRACTS.beginOidcSignIn, async (_request, reply) => {
    if (oidc === undefined) throw new BatonError('not_found', NOT_CONFIGURED);
    const { url, kept } = await oidc.begin(`${host.publicUrl()}${CONTRACTS.finishOidcSignIn.path}`);
    return reply
      .header('cache-control', 'no-store')
      .header('set-cookie', begunCookie(host, kept, BEGUN_MS / 1000))
      .redirect(url, 302);
  });

  bind(app, CONTRACTS.finishOidcSignIn, async (request, reply) => {
    if (oidc === undefined) throw new BatonError('not_found', NOT_CONFIGURED);
    const kept = cookieIn(request.headers.cookie, COOKIE);
    reply.header('cache-control', 'no-store').header('set-cookie', begunCookie(host, '', 0));
    const session = await signIns.byPerson(request.ip, () => oidc.finish(kept, request.query));
    return reply.header('set-cookie', sessionCookie(session, host.settings)).redirect('/', 302);
  });
};

const NOT_CONFIGURED = 'This host has no OpenID provider; sign in with an API key or a link.';
const COOKIE = 'baton_oidc';

/** Lax, because the browser comes back by a redirect of another site. */
function begunCookie({ settings }: Pick<HostContext, 'settings'>, value: string, maxAgeS: number): string {
  const path = CONTRACTS.beginOidcSignIn.path;
  return cookieText(COOKIE, value, { path, maxAgeS, sameSite: 'Lax', secure: isSecure(settings) });
}
