import { auditOneRun, auditRun, foldTexts, type PublicKey, stateAt } from '@baton/engine';
import { isTerminal, type RunEvent, type RunStatus } from '@baton/protocol';
import { bundleOf, folderOf } from '../bundles.ts';
import { type DrivenHost, eventsOf, hasEnded, statusOf, treeOf } from './driven-host.ts';
import { command, type Life, live } from './random-life.ts';

/** What must be true of every run that has ended, whatever happened to it. Problems are added to the life's. */

/** Replays from the beginning and from places in between do the same, and say so. */
export async function checkReplays(life: Life, runId: string, names: readonly string[] = []): Promise<void> {
  const { dice, host, tenant } = life;
  const head = (await eventsOf(host, tenant, runId)).length;
  const places: [source: string, fromSeq: number][] = [
    [runId, 0],
    [runId, dice.below(head + 1)],
  ];
  // A child can be replayed by itself, too.
  const one = dice.pick(await treeOf(host, tenant, runId));
  if (one !== runId) places.push([one, dice.below((await eventsOf(host, tenant, one)).length + 1)]);
  for (const [source, fromSeq] of places) {
    const twin = await forked(life, source, { mode: 'replay', fromSeq });
    if (twin === undefined) continue;
    if (dice.chance(0.05)) await host.crash();
    for (let polls = 0; polls < 50 && !(await isDone(life, source, twin)); polls += 1) await host.idle();
    await compare(life, source, twin, fromSeq, names);
    for (const id of await treeOf(host, tenant, twin)) {
      if (!isTerminal((await statusOf(host, tenant, id)) as RunStatus)) await cancel(life, id);
    }
  }
}

/** A replay of a run that has not ended follows it up to where it is, and then goes on by itself. */
export async function checkReplayNow(life: Life, runId: string): Promise<void> {
  const { dice, host, tenant, problems } = life;
  const fromSeq = dice.below((await eventsOf(host, tenant, runId)).length + 1);
  const twin = await forked(life, runId, { mode: 'replay', fromSeq });
  if (twin === undefined) return;
  for (const id of await treeOf(host, tenant, twin)) {
    const parting = await partingOf(life, id);
    if (parting)
      problems.push(`replay of ${runId}, which goes on, from ${fromSeq}: ${JSON.stringify(parting)}`);
    await cancel(life, id);
  }
}

async function partingOf({ host, tenant }: Life, runId: string): Promise<RunEvent | undefined> {
  return (await eventsOf(host, tenant, runId)).find(
    (event) => event.runId === runId && event.type.startsWith('replay.diverged'),
  );
}

/** However many slices it takes, the replay of a run that was not cancelled ends by itself. */
async function isDone({ host, tenant }: Life, source: string, twin: string): Promise<boolean> {
  if ((await statusOf(host, tenant, source)) === 'cancelled') return true;
  return hasEnded(host, tenant, twin);
}

/** A run that was cancelled goes on in its replay; every other one ends as it did, with the same events. */
async function compare(
  life: Life,
  source: string,
  twin: string,
  fromSeq: number,
  names: readonly string[],
): Promise<void> {
  const { host, tenant, problems } = life;
  const isSame = (await statusOf(host, tenant, source)) !== 'cancelled';
  const runs = await treeOf(host, tenant, twin);
  for (const its of runs) {
    const where = `replay of ${source} from ${fromSeq}, ${its}`;
    const original = source + its.slice(twin.length);
    const parting = await partingOf(life, its);
    if (parting) problems.push(`${where}: ${JSON.stringify(parting)}`);
    if (!isSame || parting) continue;
    const all = [twin, source, ...names];
    const [mine, theirs] = [await logOf(life, its, all), await logOf(life, original, all)];
    const at = mine.findIndex((text, index) => text !== theirs[index]);
    if (at !== -1) problems.push(`${where}: event ${at} is ${mine[at]} and was ${theirs[at]}`);
    else if (mine.length !== theirs.length)
      problems.push(`${where}: ${mine.length} events, not ${theirs.length}`);
    const [now, then] = [await statusOf(host, tenant, its), await statusOf(host, tenant, original)];
    if (now !== then) problems.push(`${where}: is ${now}, was ${then}`);
  }
  if (isSame && fromSeq === 0 && runs.length !== (await treeOf(host, tenant, source)).length) {
    problems.push(`replay of ${source}: has ${runs.length} runs`);
  }
}

async function logOf(
  { host, tenant }: Life,
  runId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  return (await eventsOf(host, tenant, runId)).map((event) =>
    names.reduce((text, name) => text.replaceAll(name, 'X'), JSON.stringify(event)),
  );
}

async function forked(life: Life, runId: string, body: Record<string, unknown>): Promise<string | undefined> {
  const caller = { tenant: life.tenant, principal: 'ana' };
  const reply = await command(life, { kind: 'fork-run', caller, runId, body: body as never });
  if (reply.ok && reply.value.kind === 'fork') return reply.value.runId;
  // There is nothing to branch off behind the end of a run.
  if (body.mode === 'branch') return undefined;
  life.problems.push(`fork of ${runId} ${JSON.stringify(body)}: ${JSON.stringify(reply)}`);
  return undefined;
}

async function cancel(life: Life, runId: string): Promise<void> {
  await command(life, { kind: 'cancel-run', caller: { tenant: life.tenant, principal: 'ana' }, runId });
}

/** Nothing was changed behind the host's back, and everything that came to a gate is what it was said to be. */
export async function checkEvidence(life: Life, key: PublicKey, runId: string): Promise<void> {
  const { host, tenant, problems } = life;
  for (const id of await treeOf(host, tenant, runId)) {
    const audit = await auditOneRun(host.top.reads, key, id, tenant);
    if (audit === undefined || audit.findings.length > 0)
      problems.push(`verify ${id}: ${JSON.stringify(audit?.findings)}`);
    const gates = await auditRun(host.top.reads, { tenant, runId: id });
    if (gates?.allMatch !== true) problems.push(`attestations of ${id}: ${JSON.stringify(gates)}`);
  }
}

/** The state at any index is the fold over what lies before it. */
export async function checkPast({ dice, host, tenant, problems }: Life, runId: string): Promise<void> {
  const texts = await host.top.reads.events(tenant, runId, 0, 1_000_000);
  for (const at of [1 + dice.below(texts.length), 1 + dice.below(texts.length)]) {
    const folded = foldTexts(undefined, texts.slice(0, at));
    const shown = await stateAt(host.top.reads, { tenant, runId }, at);
    const [is, was] = [shown?.iteration, folded.iteration];
    const names = [Object.keys(shown?.nodeStates ?? {}).sort(), Object.keys(folded.nodes).sort()];
    const hidden = JSON.stringify(folded.variables).includes('sealed:v1:');
    const isSame = hidden || JSON.stringify(shown?.variables) === JSON.stringify(folded.variables);
    if (is !== was || JSON.stringify(names[0]) !== JSON.stringify(names[1]) || !isSame) {
      problems.push(`state of ${runId} at ${at}: ${JSON.stringify(shown)}`);
    }
  }
}

/** A host over the bundle of the tree finds and does the same. */
export async function checkElsewhere(
  life: Life,
  open: (folder: string) => Promise<DrivenHost>,
  key: PublicKey,
  runId: string,
): Promise<void> {
  const { host, tenant, problems } = life;
  const elsewhere = await open(await folderOf(await bundleOf(host.top, runId, { tenant }), { tenant }));
  const there = { ...life, host: elsewhere };
  await checkEvidence(there, key, runId);
  await checkReplays(there, runId);
  problems.push(...elsewhere.top.logged, ...elsewhere.top.fatal.map(String));
}

/** A branch from any place lives on, ends, and can be replayed. */
export async function checkBranch(life: Life, runId: string): Promise<void> {
  const head = (await eventsOf(life.host, life.tenant, runId)).length;
  const fromSeq = life.dice.below(head);
  const branch = await forked(life, runId, { mode: 'branch', fromSeq });
  if (branch === undefined || isTerminal((await statusOf(life.host, life.tenant, branch)) as RunStatus))
    return;
  await live(life, branch, 10);
  await checkReplays(life, branch, [runId]);
}
