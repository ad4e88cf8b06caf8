import type { Json } from '@baton/client';
import { useMemo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ValueDiff } from '../../../ui/content/diff-view.tsx';
import { memberChanges } from '../../../ui/content/value-text.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { LazyEditor } from '../../../ui/editor/lazy-editor.tsx';
import { errorText } from '../../../ui/states.tsx';
import { draftOf, readDraft } from './draft.ts';
import { type AnswerProps, useAnswer } from './use-answer.ts';

interface EditDialogProps extends AnswerProps {
  readonly onClose: () => void;
}

/** Changes the artifact and accepts it as changed: first the text, then what differs. A refused draft is kept. */
export function EditDialog({
  place,
  data: { artifactData: artifact },
  onClose,
  onAnswered,
}: EditDialogProps) {
  const draft = useMemo(() => draftOf(artifact), [artifact]);
  const [text, setText] = useState(draft.text);
  const [isReviewed, setReviewed] = useState(false);
  const send = useAnswer(place, onAnswered);
  const read = readDraft(draft, text, artifact);
  const isSame = 'value' in read && memberChanges(artifact, read.value).length === 0;
  const accept = () => {
    if (!('value' in read)) return;
    const answer = { action: 'edit-accept', editedArtifactData: read.value as Json } as const;
    send.mutate(
      { answer, done: 'Accepted with your changes.' },
      { onSuccess: onClose, onError: () => setReviewed(false) },
    );
  };
  const review = (
    <>
      <Button onClick={() => setReviewed(false)}>Edit again</Button>
      <Button kind="primary" busy={send.isPending} onClick={accept}>
        Accept with these changes
      </Button>
    </>
  );
  const edit = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={'problem' in read || isSame} onClick={() => setReviewed(true)}>
        Review the changes
      </Button>
    </>
  );
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={isReviewed ? 'Accept it with these changes?' : 'Edit before accepting'}
      description={place.title}
      actions={isReviewed ? review : edit}
    >
      {isReviewed && 'value' in read ? (
        <ValueDiff before={artifact} after={read.value} />
      ) : (
        <>
          <LazyEditor
            label={draft.kind === 'text' && draft.member !== undefined ? draft.member : 'Artifact'}
            initial={text}
            language={draft.kind === 'json' ? 'json' : 'markdown'}
            onChange={setText}
          />
          <p
            role="status"
            className={
              'problem' in read || send.error !== null ? 'text-sm text-danger' : 'text-sm text-muted'
            }
          >
            {hintOf(read, isSame, send.error)}
          </p>
        </>
      )}
    </Dialog>
  );
}

function hintOf(read: ReturnType<typeof readDraft>, isSame: boolean, error: Error | null): string {
  if ('problem' in read) return read.problem;
  if (error !== null) return `The host refused this: ${errorText(error)}`;
  return isSame ? 'Nothing is changed yet.' : 'You see the changes once more before they are accepted.';
}
