import { useQuery } from '@tanstack/react-query';
import { MessageSquarePlus } from 'lucide-react';
import { useMay } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/class-names.ts';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/times.tsx';
import { agentRunsQuery } from '../queries.ts';
import { ConversationCard } from './conversation-card.tsx';
import { type Conversation, conversationsOf } from './conversations.ts';

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
  if (runs.isPending) return <Skeleton rows={5} />;
  if (runs.data === undefined) return <ErrorState error={runs.error} retry={() => void runs.refetch()} />;
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
