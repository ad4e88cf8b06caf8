import type { DefinitionReads, LogReads, RunReads, RunRow } from '@baton/engine/ports';
import {
  BatonError,
  CONTRACTS,
  type RunAncestry,
  type RunEvent,
  type WorkflowDefinition,
} from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { ANCESTRY_ENDPOINT } from '../discovery/document.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { kept, keptRunOf, noSuchRun, runOf } from './run-of.ts';

/** The run that started a run. */

export const ancestryRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.readAncestry, async (request) => {
    if (host.extension?.isOn(ANCESTRY_ENDPOINT) === false) {
      throw new BatonError('not_found', 'This address does not exist.');
    }
    const { tenant, principal, peer } = identityOf(request);
    const { runId } = request.params;
    const row = await runOf(host, { tenant, runId });
    // The tenant of a peer may be one that others use too.
    if (peer !== undefined && row.principal !== principal) throw noSuchRun(runId);
    kept(row);
    return { runId: row.runId, hostId: host.hostId, parent: await parentOf(host, row) };
  });
};

interface AncestrySource {
  readonly reads: Pick<RunReads, 'run'> & Pick<LogReads, 'events'> & DefinitionReads;
  readonly hostId: string;
}

/**
 * A root that is a fork has no parent: a person of this host started it, even if the first event of its log says
 * which run of another host had started its source.
 */
export async function parentOf(host: AncestrySource, row: RunRow): Promise<RunAncestry['parent']> {
  const { parentRunId, parentNodeId, tenant } = row;
  if (parentRunId !== undefined) {
    // The log of a parent can be erased before those of its children.
    await keptRunOf(host, { tenant, runId: parentRunId });
    const { definition } = await startOf(host, tenant, parentRunId);
    const typeId = typeOfNode(await host.reads.definition(definition), parentNodeId);
    const cause = typeId === 'core.subWorkflow' ? typeId : 'core.dispatch';
    return { runId: parentRunId, hostId: host.hostId, cause };
  }
  if (row.fork !== undefined) return null;
  const { origin } = await startOf(host, tenant, row.runId);
  if (origin === undefined) return null;
  return {
    runId: origin.runId,
    hostId: origin.hostId,
    cause: origin.cause,
    wellKnownUrl: origin.wellKnownUrl,
  };
}

async function startOf({ reads }: AncestrySource, tenant: string, runId: string) {
  const [text] = await reads.events(tenant, runId, 0, 1);
  const event: RunEvent | undefined = text === undefined ? undefined : JSON.parse(text);
  if (event?.type !== 'run.started') throw new BatonError('run_unreadable', undefined, { runId });
  return event.payload;
}

function typeOfNode(definition: string | undefined, nodeId: string | undefined): string | undefined {
  const { nodes }: Pick<WorkflowDefinition, 'nodes'> = JSON.parse(definition ?? '{"nodes":[]}');
  return nodes.find((node) => node.id === nodeId)?.typeId;
}
