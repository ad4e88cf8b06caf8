import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { withKnownRun } from '../runs/known-names.ts';
import type { Session } from '../session.ts';
import { ask } from './running-host.ts';

/** Exports runs from a running host. */

export async function takeBundle(session: Session, runId: string): Promise<ExitCode> {
  const { host, out } = session;
  const text = await withKnownRun(session, runId, (id) =>
    ask(host, `/v1/runs/${encodeURIComponent(id)}/debug-bundle`),
  );
  const bundle = JSON.parse(text) as { truncated?: boolean; redactionApplied?: boolean };
  out.give(bundle, text);
  if (bundle.redactionApplied) out.note('Some values in the bundle were masked.');
  if (bundle.truncated) out.note('The run is too large: the bundle is incomplete and cannot be opened.');
  return EXIT.done;
}
