import { CircleCheck, CircleX, MessageCircleQuestion, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, LookBadge } from '../../ui/badge.tsx';
import { ContentView } from '../../ui/content/content-view.tsx';
import type { StatusLook } from '../../ui/status.ts';
import { Ago } from '../../ui/times.tsx';
import type { Background, Judgement, Vote } from './background.ts';
import type { QuestionData } from './question.ts';

function Section({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2 min-w-0">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {children}
    </section>
  );
}

const VERDICTS: Readonly<Record<string, readonly [StatusLook, string]>> = {
  pass: ['completed', 'Passed'],
  fail: ['failed', 'Turned down'],
  revise: ['waiting', 'Asked for a revision'],
};

/** What a critic said about the artifact. */
export function JudgementSection({
  judgement,
}: {
  readonly judgement: Judgement & { readonly feedback?: string };
}) {
  const { critic, verdict, criteria, confidence, feedback } = judgement;
  const [look, word] = VERDICTS[verdict] ?? ['pending', verdict];
  return (
    <Section title="What the critic said">
      <div className="rounded-md border border-line p-3 flex flex-col gap-2 text-sm">
        <div className="flex flex-wrap items-center gap-2">
          <LookBadge look={look}>{word}</LookBadge>
          <span className="min-w-0 break-words">
            <bdi>{critic}</bdi>
          </span>
          {confidence !== undefined && <span className="text-muted">confidence {confidence}</span>}
        </div>
        {criteria.length > 0 && (
          <ul aria-label="Criteria" className="flex flex-wrap gap-1.5">
            {criteria.map((criterion) => (
              <li key={criterion}>
                <Badge>
                  <bdi>{criterion}</bdi>
                </Badge>
              </li>
            ))}
          </ul>
        )}
        {/* The feedback of a critic that passed the artifact is about an earlier attempt, or empty. */}
        {feedback !== undefined && verdict !== 'pass' && <ContentView value={feedback} />}
      </div>
    </Section>
  );
}

const ICONS = {
  accept: CircleCheck,
  'edit-accept': CircleCheck,
  reject: CircleX,
  refine: RotateCcw,
} as const;

/** How many people have to accept, who may, and who has voted. One approval by anybody needs no words. */
export function QuorumSection({
  data,
  votes,
}: {
  readonly data: QuestionData;
  readonly votes: readonly Vote[];
}) {
  const required = typeof data.requiredApprovals === 'number' ? data.requiredApprovals : 1;
  const approvers = Array.isArray(data.approversList) ? data.approversList.map(String) : [];
  if (required <= 1 && approvers.length === 0 && votes.length === 0 && data.separationOfDuties !== true)
    return null;
  const latest = new Map(votes.map((vote) => [vote.by, vote]));
  const granted = [...latest.values()].filter(({ action }) => action === 'accept').length;
  return (
    <Section title="Approvals">
      <div className="flex flex-col gap-2 text-sm">
        <div className="flex items-center gap-3">
          <progress
            aria-label="Approvals"
            className="h-2 w-40 rounded-full overflow-hidden [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-status-completed [&::-moz-progress-bar]:bg-status-completed"
            value={granted}
            max={required}
          />
          <span>
            {granted} of {required} {required === 1 ? 'approval' : 'approvals'}
          </span>
        </div>
        <p className="text-muted">{rulesText(data, approvers, required)}</p>
        {votes.length > 0 && (
          <ul className="flex flex-col gap-1">
            {votes.map(({ by, action, comment, at }) => {
              const Icon = ICONS[action as keyof typeof ICONS] ?? CircleCheck;
              return (
                <li key={`${by}${at}`} className="flex flex-wrap items-center gap-x-2">
                  <Icon
                    size={15}
                    aria-hidden
                    className={action === 'reject' ? 'text-status-failed' : 'text-status-completed'}
                  />
                  <bdi className="font-medium">{by}</bdi>
                  <span>{action === 'reject' ? 'rejected' : 'accepted'}</span>
                  <span className="text-muted">
                    <Ago at={at} />
                  </span>
                  {comment !== undefined && (
                    <span className="basis-full pl-6 text-muted break-words">{comment}</span>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </Section>
  );
}

function rulesText(
  { rejectionPolicy, separationOfDuties }: QuestionData,
  approvers: readonly string[],
  required: number,
): string {
  const who = approvers.length === 0 ? '' : `Only ${approvers.join(', ')} may decide. `;
  const veto =
    rejectionPolicy === 'majority' ? 'A majority of rejections ends it.' : 'One rejection ends it.';
  const duties = separationOfDuties === true ? ' The person who started the run may not decide.' : '';
  return `${who}${required > 1 ? veto : ''}${duties}`.trim();
}

/** Questions that people have asked back. They are answered outside of this run; the approval stays open. */
export function AskedBack({ asked }: Pick<Background, 'asked'>) {
  if (asked.length === 0) return null;
  return (
    <Section title="Questions that were asked back">
      <ul className="flex flex-col gap-2 text-sm">
        {asked.map(({ by, question, at }) => (
          <li key={`${by}${at}`} className="flex gap-2 min-w-0">
            <MessageCircleQuestion size={16} aria-hidden className="text-muted shrink-0 mt-0.5" />
            <span className="min-w-0 break-words">
              <bdi>{question}</bdi>{' '}
              <span className="text-muted">
                — <bdi>{by}</bdi>, <Ago at={at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
