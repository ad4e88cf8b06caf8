import { foldToRead, hideSealed, type Run } from '@baton/engine';
import { BatonError, CONTRACTS, isoTime, isTerminal, type LinkedInterrupt } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { authenticate, requireScope } from '../auth/bearer.ts';
import type { Identity } from '../auth/keyring.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { answerInterrupt } from './answer.ts';
import type { InterruptClaim } from './token.ts';

/** Reads and answers one interrupt with a signed link instead of a key. */

/** Interrupts with this profile must know who answers: a link is not enough, a key is needed as well. */
const KEY_REQUIRED = 'openwop-interrupt-auth-required';

/** The principal of an answer that comes by a link without a key. */
const LINK = 'interrupt-link';

type OpenInterrupt = Run['interrupts'][string];

type LinkRequest = RequestTo<typeof CONTRACTS.readInterruptLink>;

export const lookByTokenRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.readInterruptLink, async (request, reply) => {
    const claim = claimOf(host, request);
    const interrupt = await openInterrupt(host, claim);
    if (interrupt === undefined) throw new BatonError('interrupt_gone');
    await requireKeyFor(host, request, claim, interrupt);
    reply.header('cache-control', 'no-store');
    return questionOf(claim, interrupt);
  });
};

export const answerByTokenRoute: Routes = (app, host) => {
  bind(
    app,
    CONTRACTS.answerInterruptLink,
    async (request, reply) => {
      const claim = claimOf(host, request);
      const interrupt = await openInterrupt(host, claim);
      const holder =
        interrupt === undefined ? undefined : await requireKeyFor(host, request, claim, interrupt);
      return answerInterrupt(host, request, reply, {
        caller: { tenant: claim.tenant, principal: holder?.principal ?? LINK },
        runId: claim.runId,
        target: { interruptId: claim.interruptId },
        resumeValue: request.body.resumeValue,
        viaToken: holder === undefined,
        scopes: [...(holder?.scopes ?? [])],
        ...(holder === undefined && { owner: `${LINK}:${claim.runId}/${claim.interruptId}` }),
      });
    },
    {
      // The link is the credential, so it is checked before the body is read.
      onRequest: (request, _reply, done) => {
        claimOf(host, request as LinkRequest);
        done();
      },
    },
  );
};

/** Notes the tenant of the link, so that this tenant's secrets are removed from the answer. */
function claimOf(host: HostContext, request: LinkRequest): InterruptClaim {
  const claim = host.tokens.verify(request.params.token);
  request.linkTenant = claim.tenant;
  return claim;
}

/** `undefined` once the run has ended. Its log is then not read, because it may be erased or purged. */
async function openInterrupt(host: HostContext, claim: InterruptClaim): Promise<OpenInterrupt | undefined> {
  const row = await host.reads.run(claim.tenant, claim.runId);
  if (row === undefined || isTerminal(row.status)) return undefined;
  const stored = await host.reads.stored(claim.tenant, claim.runId);
  if (stored === undefined || isTerminal(stored.row.status)) return undefined;
  const { interrupts } = await inTurn(host.turns, claim.tenant, () => foldToRead(stored));
  return Object.values(interrupts).find((interrupt) => interrupt.key === claim.interruptId);
}

/** The holder of the key, when the interrupt requires one. A key of another tenant is refused. */
async function requireKeyFor(
  host: HostContext,
  request: FastifyRequest,
  claim: InterruptClaim,
  { request: { data } }: OpenInterrupt,
): Promise<Identity | undefined> {
  if (!('profile' in data) || data.profile !== KEY_REQUIRED) return undefined;
  const identity = await authenticate(host.keyring, request);
  requireScope(identity, 'approvals:respond');
  if (identity.tenant !== claim.tenant) throw new BatonError('not_found');
  return identity;
}

function questionOf(claim: InterruptClaim, interrupt: OpenInterrupt): LinkedInterrupt {
  const { nodeId, key, request, requestedAt, expiresAt } = interrupt;
  return {
    runId: claim.runId,
    interruptId: claim.interruptId,
    nodeId,
    kind: request.kind,
    key,
    data: hideSealed(request.data),
    requestedAt: isoTime(requestedAt),
    expiresAt: expiresAt === undefined ? undefined : isoTime(expiresAt),
  };
}
