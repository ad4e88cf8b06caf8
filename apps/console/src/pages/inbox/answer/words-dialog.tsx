import type { ApprovalAnswer } from '@baton/client';
import { type FormEvent, useId, useState } from 'react';
import { Button, type ButtonKind } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { errorText } from '../../../ui/states.tsx';
import { type AnswerProps, useAnswer } from './use-answer.ts';

type WordsStep = 'accept' | 'reject' | 'ask' | 'refine' | 'override';

interface Wording {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  readonly kind: ButtonKind;
  readonly needed: boolean;
  readonly done: string;
  readonly answer: (words: string) => ApprovalAnswer;
}

const WORDINGS: Readonly<Record<WordsStep, Wording>> = {
  accept: {
    title: 'Accept this?',
    label: 'Comment',
    hint: 'It is recorded with your decision. You can leave it out.',
    button: 'Accept',
    kind: 'primary',
    needed: false,
    done: 'Accepted.',
    answer: (words) => ({ action: 'accept', ...(words !== '' && { comment: words }) }),
  },
  reject: {
    title: 'Reject this?',
    label: 'Reason',
    hint: 'The run and the people who read it later see this reason.',
    button: 'Reject',
    kind: 'danger',
    needed: true,
    done: 'Rejected.',
    answer: (words) => ({ action: 'reject', reason: words, feedback: words }),
  },
  ask: {
    title: 'Ask a question back',
    label: 'Your question',
    hint: 'It is recorded in the run. The approval stays open.',
    button: 'Ask',
    kind: 'primary',
    needed: true,
    done: 'Your question was recorded. The approval stays open.',
    answer: (words) => ({ action: 'ask', question: words }),
  },
  refine: {
    title: 'Ask for another version',
    label: 'What should be different',
    hint: 'The run goes on with this feedback.',
    button: 'Send the feedback',
    kind: 'primary',
    needed: true,
    done: 'The feedback was sent.',
    answer: (words) => ({ action: 'refine', refineFeedback: { scope: 'whole', text: words } }),
  },
  override: {
    title: 'Settle this alone?',
    label: 'Reason',
    hint: 'You accept in the place of all approvers. Your name and the reason are recorded.',
    button: 'Override and accept',
    kind: 'danger',
    needed: true,
    done: 'Accepted by override.',
    answer: (words) => ({ action: 'accept', override: true, reason: words }),
  },
};

interface WordsDialogProps extends AnswerProps {
  readonly step: WordsStep;
  readonly onClose: () => void;
}

/** A decision with a few words: a comment, a reason or a question. */
export function WordsDialog({ place, step, onClose, onAnswered }: WordsDialogProps) {
  const wording = WORDINGS[step];
  const form = useId();
  const [words, setWords] = useState('');
  const [isMissing, setMissing] = useState(false);
  const send = useAnswer(place, onAnswered);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = words.trim();
    setMissing(wording.needed && text === '');
    if (wording.needed && text === '') return;
    send.mutate(
      { answer: wording.answer(text), done: wording.done, staysOpen: step === 'ask' },
      { onSuccess: onClose },
    );
  };
  const refusal = send.error === null ? undefined : errorText(send.error);
  return (
    <Dialog
      open
      onClose={onClose}
      title={wording.title}
      description={place.title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={wording.kind} type="submit" form={form} busy={send.isPending}>
            {wording.button}
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={submit}>
        <TextAreaField
          label={wording.label}
          hint={wording.hint}
          error={isMissing ? 'Write a few words first.' : refusal}
          value={words}
          maxLength={1024}
          dir="auto"
          autoFocus
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </form>
    </Dialog>
  );
}
