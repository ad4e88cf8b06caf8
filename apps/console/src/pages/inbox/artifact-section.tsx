import type { WaitingInterrupt } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { ContentView } from '../../ui/content/content-view.tsx';
import { isObject } from '../../ui/content/value-text.ts';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Revision } from './background.ts';
import { ARTIFACT_LABELS } from './kinds.ts';
import { type QuestionData, revisionQuery } from './question.ts';

const ValueDiff = lazy(() =>
  import('../../ui/content/diff-view.tsx').then((module) => ({ default: module.ValueDiff })),
);

type View = 'read' | 'changes' | 'json';

interface ArtifactSectionProps {
  readonly place: WaitingInterrupt;
  readonly data: QuestionData;
  readonly revision: Revision | undefined;
}

/** What a person decides about: as text to read, as what changed since the last revision, or as JSON. */
export function ArtifactSection({ place, data, revision }: ArtifactSectionProps) {
  const [view, setView] = useState<View>('read');
  const artifact = data.artifactData ?? data.decision;
  if (artifact === undefined) return <LowConfidence data={data} />;
  const type = typeof data.artifactType === 'string' ? data.artifactType : '';
  const attestation = isObject(data.attestation) ? data.attestation : undefined;
  return (
    <section className="flex flex-col gap-2 min-w-0">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="text-xs font-medium text-muted">{ARTIFACT_LABELS[type] ?? 'The artifact'}</h3>
        {typeof attestation?.checksum === 'string' && (
          <span className="flex items-center gap-1.5 text-xs text-muted">
            {String(attestation.algorithm ?? 'checksum')}
            <CopyText text={attestation.checksum} shown={shortId(attestation.checksum)} label="checksum" />
          </span>
        )}
      </div>
      <LowConfidence data={data} />
      <Tabs<View>
        label="Views of the artifact"
        selected={view}
        onSelect={setView}
        tabs={[
          { name: 'read', label: 'Read', content: () => <ContentView value={artifact} name={type} /> },
          ...(revision === undefined
            ? []
            : [
                {
                  name: 'changes' as const,
                  label: 'Changes since the last revision',
                  content: () => <Changes place={place} revision={revision} artifact={artifact} />,
                },
              ]),
          { name: 'json', label: 'JSON', content: () => <JsonView value={artifact} /> },
        ]}
      />
    </section>
  );
}

function LowConfidence({ data: { observed, threshold, agentId } }: { readonly data: QuestionData }) {
  if (typeof observed !== 'number' || typeof threshold !== 'number') return null;
  return (
    <p className="text-sm">
      <bdi>{String(agentId)}</bdi> decided with a confidence of {observed}; at least {threshold} is asked.
    </p>
  );
}

interface ChangesProps {
  readonly place: WaitingInterrupt;
  readonly revision: Revision;
  readonly artifact: unknown;
}

function Changes({ place, revision, artifact }: ChangesProps) {
  const names = isObject(artifact) ? Object.keys(artifact) : [];
  const before = useQuery(revisionQuery(place, revision, names));
  if (before.isPending) return <Skeleton rows={3} className="p-0" />;
  if (before.error !== null) {
    return <p className="text-sm text-muted">The last revision is no longer kept.</p>;
  }
  return (
    <Suspense fallback={<Skeleton rows={3} className="p-0" />}>
      <ValueDiff before={before.data} after={artifact} />
    </Suspense>
  );
}
