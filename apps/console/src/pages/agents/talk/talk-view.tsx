import type { RunSummary } from '@baton/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageSquarePlus, Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { useMay } from '../../../session/session.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/class-names.ts';
import { TextAreaField } from '../../../ui/field.tsx';
import { errorText, Skeleton, Unloaded } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/times.tsx';
import { agentRunsQuery } from '../queries.ts';
import { type Conversation, conversationsOf, saidText } from './conversations.ts';

/** Conversations are found among this many of the newest runs. */
const RUNS = 200;

interface TalkViewProps {
  readonly agentId: string;
  readonly conversation: string | undefined;
  readonly onOpen: (conversation: string | undefined) => void;
}

/** The conversations with an agent, and the one that is open. */
export function TalkView({ agentId, conversation, onOpen }: TalkViewProps) {
  const may = useMay();
  const runs = useQuery({ ...agentRunsQuery(agentId, RUNS), refetchInterval: 5_000 });
  if (runs.data === undefined) return <Unloaded query={runs} rows={5} />;
  const list = conversationsOf(runs.data);
  const open = list.find(({ id }) => id === conversation);
  const isNew = conversation === undefined || open === undefined;
  return (
    <div className="grid gap-4 lg:grid-cols-[16rem_minmax(0,1fr)] items-start">
      <Card
        title="Conversations"
        flush
        actions={
          may('runs:create') && (
            <Button
              icon={<MessageSquarePlus size={15} aria-hidden />}
              aria-pressed={isNew}
              onClick={() => onOpen(undefined)}
            >
              New
            </Button>
          )
        }
      >
        {list.length === 0 ? (
          <p className="p-4 text-sm text-muted">Nobody has talked to this agent yet.</p>
        ) : (
          <ul className="max-h-60 lg:max-h-[30rem] overflow-y-auto">
            {list.map((one) => (
              <Item
                key={one.id}
                conversation={one}
                isOpen={one.id === open?.id}
                onOpen={() => onOpen(one.id)}
              />
            ))}
          </ul>
        )}
      </Card>
      <ConversationCard
        key={open?.id ?? 'new'}
        agentId={agentId}
        conversation={open}
        mayWrite={may('runs:create')}
        onBegun={onOpen}
      />
    </div>
  );
}

interface ItemProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function Item({ conversation: { id, runs, at }, isOpen, onOpen }: ItemProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isOpen}
        onClick={onOpen}
        className={classes(
          'w-full text-left px-4 py-2 border-b border-line hover:bg-sunken',
          isOpen && 'bg-accent-ground',
        )}
      >
        <span className="block font-mono text-xs truncate" title={id}>
          {id}
        </span>
        <span className="block text-xs text-muted">
          {runs.length === 1 ? '1 message' : `${runs.length} messages`}, <Ago at={at} />
        </span>
      </button>
    </li>
  );
}

interface ConversationCardProps {
  readonly agentId: string;
  /** Absent for a new one. */
  readonly conversation: Conversation | undefined;
  readonly mayWrite: boolean;
  readonly onBegun: (conversation: string) => void;
}

/** What was said, and the next message. */
function ConversationCard({ agentId, conversation, mayWrite, onBegun }: ConversationCardProps) {
  const [message, setMessage] = useState('');
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: (text: string) =>
      baton.agents.message(
        agentId,
        text,
        conversation === undefined ? {} : { conversationId: conversation.id },
      ),
    onSuccess: async ({ conversationId }) => {
      setMessage('');
      await queries.invalidateQueries({ queryKey: ['runs', 'of-agent', agentId] });
      onBegun(conversationId);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (message.trim() !== '' && !send.isPending) send.mutate(message);
  };
  return (
    <Card title={conversation === undefined ? 'A new conversation' : 'Conversation'}>
      <div className="flex flex-col gap-4" aria-live="polite">
        {conversation?.runs.map((run) => (
          <Exchange key={run.runId} run={run} />
        ))}
        {send.isPending && (
          <>
            <Said by="you" text={send.variables} />
            <p role="status" className="text-sm text-muted">
              The agent is thinking …
            </p>
          </>
        )}
        {conversation === undefined && !send.isPending && (
          <p className="text-sm text-muted">
            Each message is a run of the agent, and its result is the reply. The agent is told the earlier
            messages of the conversation.
          </p>
        )}
      </div>
      {mayWrite && (
        <form onSubmit={submit} className="mt-4 flex flex-col gap-2">
          <TextAreaField
            label="Message"
            rows={3}
            maxLength={65_536}
            value={message}
            disabled={send.isPending}
            onChange={(event) => setMessage(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
            }}
            error={send.error === null ? undefined : errorText(send.error)}
            hint="Ctrl and Enter send the message."
          />
          <div>
            <Button
              kind="primary"
              type="submit"
              busy={send.isPending}
              disabled={message.trim() === ''}
              icon={<Send size={15} aria-hidden />}
            >
              Send
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}

/** A message and its reply: the task and the result of one run. */
function Exchange({ run }: { readonly run: RunSummary }) {
  const snapshot = useQuery({
    // The time of the last change is a part of the key, so a run is read again only when it has changed.
    queryKey: ['runs', 'snapshot', run.runId, run.updatedAt],
    queryFn: ({ signal }) => baton.run(run.runId).snapshot({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (snapshot.isPending) return <Skeleton rows={2} className="p-0" />;
  if (snapshot.data === undefined) return <p className="text-sm text-danger">{errorText(snapshot.error)}</p>;
  const { inputs, variables, status, error } = snapshot.data;
  return (
    <div className="flex flex-col gap-2">
      <Said by="you" text={saidText(inputs.task)} />
      {status === 'completed' && <Said by="agent" text={saidText(variables.result)} />}
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        {status !== 'completed' && <StatusBadge status={status} />}
        {error !== undefined && <bdi className="text-danger break-words min-w-0">{error.message}</bdi>}
        <Ago at={run.createdAt} />
        <Link to="/runs/$runId" params={{ runId: run.runId }} className="text-accent underline">
          Show the run
        </Link>
      </p>
    </div>
  );
}

interface SaidProps {
  readonly by: 'you' | 'agent';
  readonly text: string;
}

function Said({ by, text }: SaidProps) {
  return (
    <div
      className={classes(
        'rounded-lg px-3 py-2 max-w-[90%] w-fit min-w-0',
        by === 'you' ? 'bg-accent-ground ml-auto' : 'bg-sunken',
      )}
    >
      <span className="block text-xs text-muted">{by === 'you' ? 'Message' : 'Reply'}</span>
      <bdi className="block text-sm whitespace-pre-wrap break-words max-h-96 overflow-y-auto">{text}</bdi>
    </div>
  );
}
