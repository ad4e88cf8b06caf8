import { Check, MessageCircleQuestion, Pencil, RotateCcw, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { useShortcuts } from '../../../ui/shortcuts.ts';
import type { AnswerProps } from './use-answer.ts';
import { WordsDialog } from './words-dialog.tsx';

const EditDialog = lazy(() => import('./edit-dialog.tsx').then((module) => ({ default: module.EditDialog })));

type Step = 'accept' | 'reject' | 'edit-accept' | 'ask' | 'refine' | 'override';

/** The decisions that the question allows. Each of them opens a dialog, so that no decision is made by accident. */
export function DecisionBar(props: AnswerProps) {
  const { data } = props;
  const may = useMay();
  const [step, setStep] = useState<Step>();
  const actions = Array.isArray(data.actions) ? data.actions.map(String) : ['accept', 'reject'];
  const allows = (action: Step) =>
    actions.includes(action) && (action !== 'edit-accept' || data.artifactData !== undefined);
  const open = (action: Step) => () => (allows(action) ? setStep(action) : false);
  useShortcuts({ a: open('accept'), r: open('reject'), e: open('edit-accept'), q: open('ask') });
  const close = () => setStep(undefined);
  const mayOverride = data.overrideBypassesQuorum === true && may('approvals:override');
  return (
    <div className="sticky bottom-0 max-md:bottom-14 bg-surface border-t border-line rounded-b-lg px-5 py-3 flex flex-wrap gap-2">
      {allows('accept') && (
        <Button
          kind="primary"
          icon={<Check size={16} aria-hidden />}
          onClick={open('accept')}
          aria-keyshortcuts="a"
        >
          Accept
        </Button>
      )}
      {allows('edit-accept') && (
        <Button icon={<Pencil size={15} aria-hidden />} onClick={open('edit-accept')} aria-keyshortcuts="e">
          Edit
        </Button>
      )}
      {allows('refine') && (
        <Button icon={<RotateCcw size={15} aria-hidden />} onClick={open('refine')}>
          Ask for another version
        </Button>
      )}
      {allows('reject') && (
        <Button
          kind="danger"
          icon={<X size={16} aria-hidden />}
          onClick={open('reject')}
          aria-keyshortcuts="r"
        >
          Reject
        </Button>
      )}
      {allows('ask') && (
        <Button
          kind="quiet"
          icon={<MessageCircleQuestion size={16} aria-hidden />}
          onClick={open('ask')}
          aria-keyshortcuts="q"
        >
          Ask
        </Button>
      )}
      {mayOverride && (
        <Button kind="quiet" className="ml-auto" onClick={() => setStep('override')}>
          Override…
        </Button>
      )}
      {step === 'edit-accept' && (
        <Suspense>
          <EditDialog {...props} onClose={close} />
        </Suspense>
      )}
      {step !== undefined && step !== 'edit-accept' && <WordsDialog {...props} step={step} onClose={close} />}
    </div>
  );
}
