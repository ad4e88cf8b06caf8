import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { Badge } from '../../../ui/badge.tsx';
import { CopyText, shortId } from '../../../ui/copy.tsx';
import { errorText } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/times.tsx';
import type { ApprovalView, CriticView, MergeView, StageName, StageState } from './merge-view.ts';
import { actionText } from './outcome-words.ts';

interface StageDetailProps {
  readonly name: StageName;
  readonly state: StageState;
  readonly merge: MergeView;
}

/** What is known of one stage: the checksum, the verdict, who decided, or what was merged. */
export function StageDetail({ name, state, merge }: StageDetailProps) {
  switch (name) {
    case 'attested':
      return <Checksums merge={merge} />;
    case 'verified':
      return merge.critic === undefined ? (
        <Unused>This gate has no critic.</Unused>
      ) : (
        <CriticDetail critic={merge.critic} />
      );
    case 'approved':
      return merge.approval === undefined ? (
        <Unused>No person was asked.</Unused>
      ) : (
        <ApprovalDetail approval={merge.approval} />
      );
    case 'merged':
      return <MergedDetail state={state} count={merge.values.length} />;
  }
}

function Unused({ children }: { readonly children: string }) {
  return <p className="text-xs text-muted">{children}</p>;
}

function Checksums({ merge }: { readonly merge: MergeView }) {
  const { checksums, editedChecksum } = merge;
  if (checksums.length === 0) return <Unused>No checksum was recorded.</Unused>;
  return (
    <>
      {checksums.length > 1 && (
        <p className="text-xs text-danger">
          The log has {checksums.length} different checksums for one output.
        </p>
      )}
      {checksums.map((checksum) => (
        <CopyText key={checksum} text={checksum} shown={`sha256 ${shortId(checksum)}`} label="checksum" />
      ))}
      {editedChecksum !== undefined && (
        <span className="text-xs text-muted">
          of the edit:{' '}
          <CopyText text={editedChecksum} shown={shortId(editedChecksum)} label="checksum of the edit" />
        </span>
      )}
    </>
  );
}

/** The verdict of a critic, the criteria that it judged by, and what it said. */
export function CriticDetail({ critic }: { readonly critic: CriticView }) {
  const { verdict, criticRunId } = critic;
  return (
    <div className="text-xs flex flex-col gap-1 min-w-0">
      {verdict === undefined ? (
        <p className="text-muted">The critic has not answered yet.</p>
      ) : (
        <p className="break-words">
          <bdi className="font-medium">{verdict.agentId}</bdi>: {verdict.verdict}
          {verdict.confidence !== undefined && `, ${Math.round(verdict.confidence * 100)} % sure`}
        </p>
      )}
      {verdict !== undefined && verdict.criteria.length > 0 && (
        <ul className="flex flex-wrap gap-1" aria-label="Criteria">
          {verdict.criteria.map((criterion) => (
            <li key={criterion} className="max-w-full">
              <Badge title={criterion}>
                <bdi className="truncate">{criterion}</bdi>
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {criticRunId !== undefined && (
        <>
          {verdict !== undefined && <CriticNotes criticRunId={criticRunId} />}
          <Link
            to="/runs/$runId"
            params={{ runId: criticRunId }}
            className="inline-flex items-center min-h-7 underline text-accent w-fit"
          >
            Run of the critic
          </Link>
        </>
      )}
    </div>
  );
}

function ApprovalDetail({ approval }: { readonly approval: ApprovalView }) {
  const { votes, required, resolved, overridden } = approval;
  const accepted = votes.filter(({ action }) => action === 'accept' || action === 'edit-accept').length;
  return (
    <div className="text-xs flex flex-col gap-1 min-w-0">
      {resolved === undefined && (
        <p className="text-muted">
          {required > 1 ? `${accepted} of ${required} people have accepted.` : 'A person was asked.'}{' '}
          <Link to="/inbox" className="underline text-accent">
            Inbox
          </Link>
        </p>
      )}
      {votes.map(({ sequence, by, action, comment, at }) => (
        <div key={sequence} className="break-words">
          <bdi className="font-medium">{by ?? 'Somebody'}</bdi> {actionText(action)}, <Ago at={at} />
          {comment !== undefined && (
            <p className="text-muted whitespace-pre-wrap">
              “<bdi>{comment}</bdi>”
            </p>
          )}
        </div>
      ))}
      {overridden !== undefined && (
        <p className="break-words">
          <bdi className="font-medium">{overridden.by}</bdi> decided alone: <bdi>{overridden.reason}</bdi>
        </p>
      )}
      {resolved?.outcome === 'timeout' && <p className="text-muted">Nobody answered in time.</p>}
      {resolved?.outcome === 'withdrawn' && <p className="text-muted">The question was withdrawn.</p>}
    </div>
  );
}

function MergedDetail({ state, count }: { readonly state: StageState; readonly count: number }) {
  if (state === 'refused') return <Unused>No value entered the run.</Unused>;
  if (state !== 'done') return null;
  return (
    <p className="text-xs text-muted">
      {count === 1 ? '1 value entered the run.' : `${count} values entered the run.`}
    </p>
  );
}

/** What the critic said beside its verdict. It is read from the run of the critic when somebody asks for it. */
function CriticNotes({ criticRunId }: { readonly criticRunId: string }) {
  const [open, setOpen] = useState(false);
  const notes = useQuery({
    queryKey: ['critic-notes', criticRunId],
    queryFn: async ({ signal }) => {
      const { variables } = await baton.run(criticRunId).snapshot({ signal });
      return typeof variables.feedback === 'string' ? variables.feedback : '';
    },
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="underline text-accent min-h-6"
      >
        {open ? 'Hide what it said' : 'What it said'}
      </button>
      {open && (
        <p className="text-muted whitespace-pre-wrap break-words max-h-48 overflow-y-auto" aria-live="polite">
          {notes.isPending && 'Loading…'}
          {notes.isError && errorText(notes.error)}
          {notes.data === '' && 'The critic gave a verdict only.'}
          <bdi>{notes.data}</bdi>
        </p>
      )}
    </div>
  );
}
