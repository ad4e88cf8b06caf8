import { rootRunId } from '@baton/protocol';
import type { Clock } from '../../ports/clock.ts';
import type { Effect } from '../../ports/effects.ts';
import type { HandsOut, Invitation, InvitationAnswer } from '../../ports/scheduler.ts';
import { mayPass, type Store } from '../../ports/store.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import { type EffectsUnderWay, effectsUnderWay } from './effects-under-way.ts';
import { type Invitations, openInvitations, rootOfKey } from './invitations.ts';
import type { AwaitedEffects } from './tree-effects.ts';

/**
 * Effects where a scheduler chooses the host that performs them. The slice that intends an effect offers it. A host
 * leaves offered effects alone until it is invited, and then claims and performs them as every other effect. Offers that
 * the scheduler has lost are taken up by a sweep.
 */
interface OfferedEffects extends EffectsUnderWay {
  invited(invitation: Invitation): Promise<InvitationAnswer>;
  /** This host goes on with the tree of another process. */
  adopted(rootId: string): void;
  /** Takes up offers that are left. */
  sweep(): Promise<void>;
}

interface OfferedEffectsOptions extends Omit<Parameters<typeof effectsUnderWay>[0], 'store'> {
  readonly handsOut: HandsOut;
  readonly store: Store;
  readonly clock: Clock;
  readonly held: Pick<HeldTrees, 'has'>;
  /** Looks at the tree, so that its effects are followed. */
  readonly look: (rootId: string, lane: string) => void;
}

/** The offers that one sweep takes up at most, so that several hosts share many of them. */
const SWEPT_AT_ONCE = 500;
const LOOK_AGAIN_MS = 1000;

const OVER = { kind: 'answered', answer: 'over' } as const;
const ELSEWHERE = { kind: 'answered', answer: 'elsewhere' } as const;

export function offeredEffects(options: OfferedEffectsOptions): OfferedEffects {
  const { handsOut, store } = options;
  const open = openInvitations();
  const inner = effectsUnderWay({ ...options, store: open.noting(store) });
  const taking = takingUp(options, open);
  const asking = asked(options, open);

  function follow(effects: AwaitedEffects): void {
    const { rootId, awaited } = effects;
    const offered = awaited.filter((effect) => isHandedOut(handsOut, effect));
    if (offered.length > 0) taking.up(effects, offered);
    const hastened = asking.hastenedIn(rootId, offered);
    if (offered.length === 0 && !open.isInvited(rootId)) inner.follow(effects);
    else followInvited(effects, offered);
    hastened.forEach(inner.hasten);
  }

  /** Only the effects to which this host is invited exist for the part that performs. */
  function followInvited(effects: AwaitedEffects, offered: readonly Effect[]): void {
    const { rootId, awaited, begun, paused, resumed } = effects;
    const byKey = new Map(offered.map((effect) => [effect.key, effect]));
    const invitedTo = (effect: Effect) => open.has(effect) && handsOut.kinds.includes(effect.kind);
    inner.follow({
      ...effects,
      awaited: awaited.filter((effect) => !byKey.has(effect.key) || invitedTo(effect)),
      begun: new Set([...begun].filter((key) => !byKey.has(key))),
      // An effect that another host had may be claimed again, because this host is invited again.
      resumed: new Set([...resumed, ...open.newIn(rootId)]),
    });
    open.compare(rootId, (key, tries) => {
      const effect = byKey.get(key);
      if (effect === undefined || (tries !== undefined && tries !== effect.tries)) return OVER;
      if (!handsOut.kinds.includes(effect.kind)) return ELSEWHERE;
      return { kind: paused.has(key) ? 'paused' : 'awaited', tries: effect.tries };
    });
  }

  return {
    ...inner,
    follow,
    hasten(runId) {
      inner.hasten(runId);
      asking.hasten(runId);
    },
    treesOf: (runs) => [...inner.treesOf(runs), ...open.treesOf(runs)],
    invited: asking.invited,
    adopted: taking.adopted,
    sweep: asking.sweep,
    async drain() {
      asking.close();
      open.answerUnclaimed();
      await inner.drain();
      open.answerAll();
    },
    stop() {
      asking.close();
      inner.stop();
      open.answerAll();
    },
  };
}

/** Takes invitations: of the scheduler, of somebody who hastens a run, and for offers that are left. */
function asked({ handsOut, store, ownership, clock, held, look }: OfferedEffectsOptions, open: Invitations) {
  /** The runs whose next tries begin now. */
  const hastened = new Set<string>();
  let isClosed = false;

  /** Looks at a tree that somebody outside has named. False if there is no such tree, or it is not computed. */
  async function visit(rootId: string, before: (tenant: string) => void): Promise<boolean> {
    const root = held.has(rootId) ? undefined : await store.run(rootId);
    if (root === undefined || isClosed) return false;
    before(root.tenant);
    look(rootId, root.tenant);
    return true;
  }

  return {
    invited: (invitation: Invitation) =>
      new Promise<InvitationAnswer>((resolve) => {
        visit(rootOfKey(invitation.key), (tenant) => open.add(tenant, invitation, resolve)).then(
          (isKnown) => isKnown || resolve(isClosed ? 'elsewhere' : 'over'),
          () => resolve('elsewhere'),
        );
      }),
    hasten: (runId: string) => void visit(rootRunId(runId), () => hastened.add(runId)).catch(() => undefined),
    /** The runs of the tree that are hastened. This host is invited to their effects. */
    hastenedIn(rootId: string, offered: readonly Effect[]): readonly string[] {
      const runs = [...hastened].filter((runId) => rootRunId(runId) === rootId);
      for (const runId of runs) hastened.delete(runId);
      for (const { runId, key, tenant, kind } of offered)
        if (runs.includes(runId) && handsOut.kinds.includes(kind)) open.add(tenant, { key });
      return runs;
    },
    async sweep(): Promise<void> {
      open.swept();
      if (isClosed) return;
      const now = clock.now();
      const left = await store.leftOffers({
        ...{ kinds: handsOut.kinds, alive: ownership.alive(), now },
        ...{ before: now - handsOut.graceMs, limit: SWEPT_AT_ONCE },
      });
      for (const { rootId, tenant, key } of left) {
        if (held.has(rootId) || isClosed) continue;
        open.add(tenant, { key });
        look(rootId, tenant);
      }
    },
    close(): void {
      isClosed = true;
    },
  };
}

/** A replay performs effects only to compare outcomes, where it is computed. */
function isHandedOut(handsOut: HandsOut, { kind, fresh }: Effect): boolean {
  return fresh !== true && handsOut.isOffered(kind);
}

/** Offers effects to the scheduler, and takes up those of trees that this host has adopted. */
function takingUp(
  { handsOut, store, ownership, lookAgain, onFatal }: OfferedEffectsOptions,
  open: Pick<Invitations, 'add' | 'has'>,
) {
  const adopted = new Set<string>();

  function tell(effect: Effect, place: number): void {
    handsOut.offer(effect, effect.until ?? 0, place);
  }

  /** A host that does not hand out effects has left no offer of them. */
  async function offerStored(effects: AwaitedEffects, wanted: readonly Effect[]): Promise<void> {
    const { rootId, place: from, paused } = effects;
    const asked = wanted.map((effect) => {
      const { runId, key, kind, until } = effect;
      return { runId, key, offer: { kind, at: until ?? 0 } };
    });
    const keys = await store
      .offerEffects({ alive: ownership.alive(), rootId, from, effects: asked })
      .catch((problem) => {
        if (!mayPass(problem)) throw problem;
        return 'moved' as const;
      });
    if (keys === 'moved') {
      adopted.add(rootId);
      lookAgain(rootId, wanted[0]?.tenant ?? '', LOOK_AGAIN_MS);
    } else for (const one of wanted) if (keys.includes(one.key) && !paused.has(one.key)) tell(one, from);
  }

  return {
    adopted: (rootId: string) => void adopted.add(rootId),
    up(effects: AwaitedEffects, offered: readonly Effect[]): void {
      const { rootId, place, begun, paused, resumed } = effects;
      const isAdopted = adopted.delete(rootId);
      const stored: Effect[] = [];
      for (const effect of offered) {
        const { key, tenant, kind } = effect;
        const isPaused = paused.has(key);
        const isNew = begun.has(key) || resumed.has(key);
        if (isAdopted && !isPaused && !isNew && handsOut.kinds.includes(kind)) open.add(tenant, { key });
        else if (isAdopted || resumed.has(key)) stored.push(effect);
        if (isNew && !isPaused && !open.has(effect)) tell(effect, place);
      }
      if (stored.length > 0) offerStored(effects, stored).catch(onFatal);
    },
  };
}
