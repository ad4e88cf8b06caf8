import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { errorText } from '../../../ui/states.tsx';
import type { Conversation } from './conversations.ts';
import { Exchange, Said } from './exchange.tsx';

interface ConversationCardProps {
  readonly agentId: string;
  /** Absent for a new one. */
  readonly conversation: Conversation | undefined;
  readonly mayWrite: boolean;
  readonly onBegun: (conversation: string) => void;
}

/** What was said, and the next message. */
export function ConversationCard({ agentId, conversation, mayWrite, onBegun }: ConversationCardProps) {
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
