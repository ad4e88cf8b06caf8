import { rootRunId } from '@baton/protocol';
import type { EffectClaim, EffectClaims } from '../../ports/effect-claims.ts';
import type { Effect } from '../../ports/effects.ts';
import type { Invitation, InvitationAnswer } from '../../ports/scheduler.ts';

/** One effect that this host is to perform, because the scheduler asked for it, or because nobody else did it. */
interface OpenInvitation {
  readonly key: string;
  /** Absent until the effect was seen, if no scheduler has named the try. */
  tries: number | undefined;
  readonly answers: ((answer: InvitationAnswer) => void)[];
  /** No look at the tree has seen the invitation yet. */
  isNew: boolean;
  /** This host owns the effect, or may own it, because the answer to its claim was lost. */
  isClaimed: boolean;
  /** How many claims are not answered. */
  asked: number;
  /** How many sweeps there were since, without a claim. */
  sweeps: number;
}

interface InvitedTree {
  readonly tenant: string;
  readonly byKey: Map<string, OpenInvitation>;
}

/** The invitations that are not answered. */
export interface Invitations {
  /** Without `tries`: whatever the present try is. */
  add(
    tenant: string,
    invitation: Pick<Invitation, 'key'> & Partial<Invitation>,
    answer?: (answer: InvitationAnswer) => void,
  ): void;
  has(effect: Pick<Effect, 'key' | 'tries'>): boolean;
  isInvited(rootId: string): boolean;
  /** The keys that no look at the tree has seen yet. */
  newIn(rootId: string): readonly string[];
  /** Answers the invitations of a tree to effects that are no longer to be performed here. */
  compare(rootId: string, judge: (key: string, tries: number | undefined) => Judgement): void;
  treesOf(runs: readonly { readonly runId: string }[] | 'all'): readonly InvitedTreeRef[];
  /** Time has passed: an invitation that has led to nothing is given back. */
  swept(): void;
  answerUnclaimed(): void;
  answerAll(): void;
  /** Notes which claims are granted, and answers the invitations whose effect another host has or may have. */
  noting(store: EffectClaims): EffectClaims;
}

interface InvitedTreeRef {
  readonly rootId: string;
  readonly tenant: string;
}

/** What a look at the tree says about an effect: its present try if it is awaited here. */
type Judgement =
  | { readonly kind: 'awaited'; readonly tries: number }
  /** It is awaited only if it has begun: its run is paused. */
  | { readonly kind: 'paused'; readonly tries: number }
  | { readonly kind: 'answered'; readonly answer: InvitationAnswer };

/** An invitation that has led to no claim after so many sweeps is given back. */
const SWEEPS_BEFORE_RETURN = 2;

export function rootOfKey(key: string): string {
  return rootRunId(key.slice(0, key.indexOf('/')));
}

export function openInvitations(): Invitations {
  const trees = new Map<string, InvitedTree>();

  function find(key: string): OpenInvitation | undefined {
    return trees.get(rootOfKey(key))?.byKey.get(key);
  }

  function close({ key, answers }: OpenInvitation, answer: InvitationAnswer): void {
    const rootId = rootOfKey(key);
    const tree = trees.get(rootId);
    tree?.byKey.delete(key);
    if (tree?.byKey.size === 0) trees.delete(rootId);
    for (const tell of answers) tell(answer);
  }

  function closeWhere(isIt: (one: OpenInvitation) => boolean): void {
    for (const { byKey } of [...trees.values()])
      for (const one of [...byKey.values()]) if (isIt(one)) close(one, 'elsewhere');
  }

  return {
    add(tenant, { key, tries }, answer) {
      const known = find(key);
      // A late invitation to an earlier try must not take the place of the present one, which may be under way.
      if (known && isBefore(tries, known)) return void answer?.('over');
      // Another try is another invitation. The earlier one would be answered by the next look at the tree.
      if (known && !isTry(known, tries)) close(known, 'over');
      const open = find(key) ?? opened(key, tries);
      if (answer) open.answers.push(answer);
      const tree = trees.get(rootOfKey(key)) ?? { tenant, byKey: new Map() };
      tree.byKey.set(key, open);
      trees.set(rootOfKey(key), tree);
    },
    has({ key, tries }) {
      const open = find(key);
      return open !== undefined && isTry(open, tries);
    },
    isInvited: (rootId) => trees.has(rootId),
    newIn: (rootId) =>
      [...(trees.get(rootId)?.byKey.values() ?? [])].filter(({ isNew }) => isNew).map(({ key }) => key),
    compare(rootId, judge) {
      for (const open of [...(trees.get(rootId)?.byKey.values() ?? [])]) {
        const found = judge(open.key, open.tries);
        if (found.kind === 'answered') close(open, found.answer);
        // The slice that resumes the run offers the effect again.
        else if (found.kind === 'paused' && !mayOwn(open)) close(open, 'over');
        else {
          open.isNew = false;
          open.tries = found.tries;
        }
      }
    },
    treesOf: (runs) => (trees.size === 0 ? [] : treesAmong(trees, runs)),
    swept: () =>
      closeWhere((open) => {
        if (!mayOwn(open)) open.sweeps += 1;
        return open.sweeps >= SWEEPS_BEFORE_RETURN;
      }),
    answerUnclaimed: () => closeWhere((open) => !mayOwn(open)),
    answerAll: () => closeWhere(() => true),
    noting: (store) => notingClaims(store, find, close),
  };
}

/** Whether this host owns the effect, or will know soon. Until then the invitation is not given back. */
function mayOwn({ isClaimed, asked }: OpenInvitation): boolean {
  return isClaimed || asked > 0;
}

/** Learns from the answers of the store which effects this host has. */
function notingClaims(
  store: EffectClaims,
  find: (key: string) => OpenInvitation | undefined,
  close: (open: OpenInvitation, answer: InvitationAnswer) => void,
): EffectClaims {
  const openOf = (effects: readonly { readonly key: string }[]) =>
    effects.flatMap(({ key }) => find(key) ?? []);

  async function asking(claim: EffectClaim): ReturnType<EffectClaims['claimEffects']> {
    const asked = openOf(claim.effects);
    for (const open of asked) open.asked += 1;
    try {
      return await store.claimEffects(claim);
    } catch (problem) {
      for (const open of asked) open.isClaimed = true;
      throw problem;
    } finally {
      for (const open of asked) open.asked -= 1;
    }
  }

  return {
    ...store,
    async releaseEffects(release) {
      const answer = await store.releaseEffects(release);
      if (answer === 'moved') return answer;
      for (const open of openOf(release.effects)) {
        open.isClaimed = false;
        // The run may have been resumed meanwhile, and the effect claimed again.
        if (open.asked === 0) close(open, 'elsewhere');
      }
      return answer;
    },
    async claimEffects(claim) {
      const granted = await asking(claim);
      if (granted === 'moved') return granted;
      const keys = new Set(granted.map(({ key }) => key));
      for (const { key } of claim.effects) {
        const open = find(key);
        if (open === undefined) continue;
        if (!keys.has(key)) close(open, 'elsewhere');
        else {
          open.isClaimed = true;
          open.sweeps = 0;
        }
      }
      return granted;
    },
  };
}

function treesAmong(
  trees: ReadonlyMap<string, InvitedTree>,
  runs: readonly { readonly runId: string }[] | 'all',
): readonly InvitedTreeRef[] {
  const roots = runs === 'all' ? trees.keys() : new Set(runs.map(({ runId }) => rootRunId(runId)));
  return [...roots].flatMap((rootId) => {
    const tree = trees.get(rootId);
    return tree === undefined ? [] : [{ rootId, tenant: tree.tenant }];
  });
}

/** Whether the invitation is to this try. */
function isTry({ tries: invited }: OpenInvitation, tries: number | undefined): boolean {
  return invited === undefined || tries === undefined || invited === tries;
}

/** Whether this try comes before the one of the invitation, and so has an outcome. */
function isBefore(tries: number | undefined, { tries: invited }: OpenInvitation): boolean {
  return tries !== undefined && invited !== undefined && tries < invited;
}

function opened(key: string, tries: number | undefined): OpenInvitation {
  return { key, tries, answers: [], isNew: true, isClaimed: false, asked: 0, sweeps: 0 };
}
