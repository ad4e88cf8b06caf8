import type { HostSettings } from '../settings.ts';
import type { EngineThread } from '../thread/launch.ts';

type Seams = typeof import('../seams/seams.ts').SEAMS;

/** Loads what conformance suites need of the host. A host without seams has an empty object. */
export async function hostSeams(
  { testSeams }: Pick<HostSettings, 'testSeams'>,
  { conformance }: Pick<EngineThread, 'conformance'>,
): Promise<Partial<Seams>> {
  if (!testSeams && !conformance) return {};
  const { performers, ...open } = (await import('../seams/seams.ts')).SEAMS;
  return { ...(testSeams && open), ...(conformance && { performers }) };
}
