import { rootRunId } from '@baton/protocol';
import type { Dice } from '../fuzz/random-choice.ts';
import type { Member } from './postgres/simulated-postgres.ts';
import type { Life, SimulatedHost } from './simulated-host.ts';
import { complain, tell, type World } from './world.ts';

/** Longer than this, in turns, a host does not wait for its effects before it stops. */
const PATIENCE = 60;
const ASKS_AGAIN_MS = 1100;

/** The host stops in order: it finishes its effects, releases those that have not begun, and leaves. */
export function retire(world: World, host: SimulatedHost, end: () => void, dice: Dice): void {
  const { time } = world;
  const { life } = host;
  if (life?.member === undefined || life.draining) return;
  const { member, engine, trouble } = life;
  life.draining = true;
  tell(world, `${host.name} drains`);
  const unreleased = ownEffects(world, life, member);
  const patience = new Promise<void>((resolve) => time.after(dice.between(1, PATIENCE), resolve));
  let isImpatient = false;
  const drained = engine.drain().then(() => {
    // The stop has broken off what was under way.
    if (isImpatient) return;
    for (const key of unreleased()) complain(world, `${host.name} has drained, and not released ${key}`);
  });
  Promise.race([drained, patience])
    .then(() => {
      isImpatient = true;
      return engine.stop();
    })
    .then(() => {
      if (trouble.dead) return;
      time.moved();
      member.leave();
      end();
    })
    .catch((problem) => complain(world, `${host.name} does not stop: ${problem}`));
}

/**
 * The effects that the host owns now, as long as their trees do not move: when it has drained, it has finished or
 * released them. A host that could not reach the database meanwhile, or had no room, may own them still.
 */
function ownEffects(world: World, { trouble, outside }: Life, member: Member): () => readonly string[] {
  const { time, storage, ledger } = world;
  const owned = () => storage.effectsOf(member.ownership.owner);
  const lengthOf = (key: string) =>
    ledger
      .runs()
      .filter(({ record }) => record.rootId === rootRunId(key.slice(0, key.indexOf('/'))))
      .reduce((sum, { head }) => sum + head, 0);
  const before = new Map(owned().map((key) => [key, lengthOf(key)]));
  const losses = member.losses();
  // A host whose claim was not answered asks again after a while. Until then it does not know what it owns.
  const isInDoubt = world.restate !== undefined && member.lostAt() > time.now() - ASKS_AGAIN_MS;
  return () => {
    const isHindered = member.losses() > losses || !member.isConnected() || trouble.fullUntil > time.turn;
    if (trouble.dead || isHindered || isInDoubt || !world.postgres?.isAtWork(member.hostNo)) return [];
    return owned().filter((key) => before.get(key) === lengthOf(key) && !outside.underWay.has(key));
  };
}
